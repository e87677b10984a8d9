"""Page at the root of the API."""

from html import escape
from typing import Final

from chalicelib.api.pages.content import Content
from chalicelib.api.pages.html_page import Site, html_page
from chalicelib.core.version import VERSION

_CARDS: Final = (
    ("/docs", "Reference", "All routes with their fields, samples in seven languages, and try-it."),
    ("/guides", "Guides", "How to make documents: by question, with examples that run."),
    ("/console", "Console", "Try documents while you write them, and look at renders."),
    ("/errors", "Error codes", "What each code means, and what to do about it."),
    ("/v1/openapi.json", "OpenAPI", "The description that clients and tools are generated from."),
    ("/healthz", "Health", "Whether the service and the parts that it depends on work."),
)
_FIRST_CALL: Final = """\
curl -sSL --fail-with-body {host}/v1/renders \\
  -H "Authorization: Bearer $PLATEN_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{{"input": {{"type": "html", "html": "<h1>Hello</h1>"}},
       "delivery": {{"type": "binary"}}}}' \\
  -o hello.pdf"""


def home_page(site: Site) -> Content:
    """Return the page that tells what this is, and where to go."""
    cards = "".join(
        f'<li><a href="{path}"><b>{title}</b><span>{text}</span></a></li>'
        for path, title, text in _CARDS
    )
    call = _FIRST_CALL.format(host=site.api_host)
    main = (
        '<main class="wide home"><h1>Platen</h1><p class="lead">Documents from HTML, templates and '
        "data: PDF, pictures and e-invoices.</p><h2>First document</h2>"
        f"<pre><code>{escape(call, quote=False)}</code></pre>"
        f'<ul class="cards">{cards}</ul><p class="dim">Version {VERSION}</p></main>'
    )
    return html_page("Platen", main, site, path="/")
