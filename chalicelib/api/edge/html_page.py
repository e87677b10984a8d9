"""HTML pages for people: self-contained, without scripts and subresources."""

import re
from html import escape
from typing import Final
from urllib.parse import urlsplit

from chalicelib.api.edge.endpoint import Reply
from chalicelib.core.problems import PROBLEMS

HTML_TYPE: Final = "text/html; charset=utf-8"
_CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
)


def html_page(title: str, body: str, *, api_host: str, style: str = "") -> Reply:
    """Return a page; `body` and `style` are markup, `title` is text.

    Links that begin with `/` are prefixed with the path of `api_host`, if it has one.
    """
    body = body.replace('href="/', f'href="{escape(urlsplit(api_host).path)}/')
    text = (
        "<!doctype html>\n"
        f'<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}{style}</style></head><body>{body}</body></html>\n"
    )
    return Reply(200, text, HTML_TYPE, {"Content-Security-Policy": _CONTENT_SECURITY_POLICY})


def inline_markup(text: str) -> str:
    """Return text as markup: words in backticks as code, error codes as links to their pages."""
    marked = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))
    return re.sub(r"<code>([a-z_]+)</code>", _link_error_code, marked)


def _link_error_code(match: re.Match[str]) -> str:
    is_error_code = match[1] in PROBLEMS
    return f'<a href="/errors/{match[1]}">{match[0]}</a>' if is_error_code else match[0]


_STYLE: Final = """
:root{color-scheme:light dark;--ink:#1d2430;--dim:#5d6675;--line:#dfe3ea;--paper:#fff;
--soft:#f5f7fa;--accent:#2f5bd0;--get:#1f7a4d;--post:#2f5bd0;--put:#9a6200;--delete:#b3261e}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ef;--dim:#9aa3b2;--line:#2d3440;
--paper:#14181f;--soft:#1b212b;--accent:#8fb0ff;--get:#6fd3a0;--post:#8fb0ff;--put:#f0b860;
--delete:#ff9a92}}
*{box-sizing:border-box}html{scroll-behavior:smooth;scroll-padding-top:1rem}
body{margin:0;color:var(--ink);background:var(--paper);
font:16px/1.6 system-ui,"Segoe UI",sans-serif}
a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}
code,pre{font:13px/1.55 ui-monospace,"SF Mono",Menlo,Consolas,"Liberation Mono",monospace}
h1{font-size:1.9rem;line-height:1.2;margin:0 0 .5rem;letter-spacing:-.01em}
h2{font-size:1.25rem;margin:3rem 0 1rem}h3{font-size:1rem;margin:1.4rem 0 .4rem}
p{margin:.5rem 0}code{overflow-wrap:anywhere}.dim{color:var(--dim)}
main.one{max-width:44rem;margin:12vh auto 4rem;padding:0 1.5rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.4rem 1.5rem;margin:2rem 0}
dt{color:var(--dim)}dd{margin:0}
"""
