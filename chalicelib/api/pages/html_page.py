"""Frame of the HTML pages: head, navigation, and the policy of what a page may load."""

import re
from collections.abc import Sequence
from html import escape
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from chalicelib.api.pages.assets import Assets
from chalicelib.api.pages.content import Content, content_of
from chalicelib.core.problems import PROBLEMS

HTML_TYPE: Final = "text/html; charset=utf-8"
# Everything is of the same origin; a page calls nothing but the API.
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src {styles}; img-src 'self' data: blob:; "
    "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
POLICY: Final = _POLICY.format(styles="'self'")
# For components that write styles into their own markup.
INLINE_STYLES_POLICY: Final = _POLICY.format(styles="'self' 'unsafe-inline'")
# The one list of what the pages link to.
NAVIGATION: Final = (
    ("Reference", "/docs"),
    ("Guides", "/guides"),
    ("Console", "/console"),
    ("Errors", "/errors"),
)


class Site(NamedTuple):
    """Address of the API, which has a path where it has no domain of its own, and its assets."""

    api_host: str
    assets: Assets

    def link(self, path: str) -> str:
        """Return the address of a path, for an attribute of a page."""
        return escape(urlsplit(self.api_host).path + path)

    def asset(self, name: str) -> str:
        """Return the address of a script or a style, for an attribute of a page."""
        return self.link(self.assets.path(name))


def html_page(
    title: str,
    main: str,
    site: Site,
    *,
    path: str,
    assets: Sequence[str] = (),
    tools: str = "",
) -> Content:
    """Return the page at a path; `main` and `tools`, in the bar, are markup; `title` is text.

    `assets` are its own scripts and styles. Links of `main` that begin with `/` are the API's.
    """
    main = main.replace('href="/', f'href="{site.link("/")}')
    links = "".join(
        f'<a href="{site.link(target)}"{_is_here(target, path)}>{name}</a>'
        for name, target in NAVIGATION
    )
    tags = "".join(_tag(name, site) for name in ("pages.css", *assets))
    text = (
        "<!doctype html>\n"
        f'<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f'<link rel="icon" href="{site.asset("icon.svg")}">'
        f"{tags}</head><body>"
        f'<header class="bar"><a class="brand" href="{site.link("/")}">Platen</a>'
        f"<nav>{links}</nav>{tools}</header>{main}</body></html>\n"
    )
    return content_of(text.encode(), HTML_TYPE)


def inline_markup(text: str) -> str:
    """Return text as markup: words in backticks as code, error codes as links to their pages."""
    marked = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))
    return re.sub(r"<code>([a-z_]+)</code>", _link_error_code, marked)


def _tag(name: str, site: Site) -> str:
    address = site.asset(name)
    if name.endswith(".css"):
        return f'<link rel="stylesheet" href="{address}">'
    return f'<script type="module" src="{address}"></script>'


def _is_here(target: str, path: str) -> str:
    return ' aria-current="page"' if target == path else ""


def _link_error_code(match: re.Match[str]) -> str:
    is_error_code = match[1] in PROBLEMS
    return f'<a href="/errors/{match[1]}">{match[0]}</a>' if is_error_code else match[0]
