"""Page of the reference: RapiDoc, which the script `reference.js` gives the OpenAPI document."""

from html import escape

from chalicelib.api.pages.content import Content
from chalicelib.api.pages.html_page import Site, html_page

# Nothing is loaded from elsewhere, and the key is not stored by the component.
_ATTRIBUTES = (
    'render-style="focused" load-fonts="false" persist-auth="false" show-header="false" '
    'allow-authentication="false" allow-server-selection="false" allow-search="false" '
    'allow-advanced-search="false" allow-spec-url-load="false" allow-spec-file-load="false" '
    'schema-style="table" schema-description-expanded="true" schema-expand-level="2" '
    'show-method-in-nav-bar="as-colored-text" sort-endpoints-by="none" nav-item-spacing="compact" '
    'css-file="reference.css" fetch-credentials="omit"'
)
_TOOLS = (
    '<form class="tools" role="search"><span class="finder"><input id="search" type="search" '
    'placeholder="Search operations" aria-label="Search operations" aria-controls="found" '
    'autocomplete="off" spellcheck="false"><ul id="found" hidden></ul></span><input id="key" '
    'type="password" placeholder="API key for try-it" aria-label="API key for try-it" '
    'title="Kept in this tab only" autocomplete="off" spellcheck="false"></form>'
)


def reference_page(site: Site) -> Content:
    """Return the page; its servers are that of the configured host."""
    main = (
        '<p id="elsewhere" class="notice" hidden>Try-it works at '
        f'<a href="{escape(site.api_host)}/docs">{escape(site.api_host)}/docs</a>.</p>'
        f'<rapi-doc id="reference" data-document="{site.link("/v1/openapi.json")}" '
        f'data-host="{escape(site.api_host)}" {_ATTRIBUTES}></rapi-doc>'
        '<noscript class="notice">The reference needs JavaScript; the description is also in '
        '<a href="/v1/openapi.json">openapi.json</a>.</noscript>'
    )
    return html_page(
        "Reference · Platen",
        main,
        site,
        path="/docs",
        assets=["reference.css", "rapidoc.js", "reference.js"],
        tools=_TOOLS,
    )
