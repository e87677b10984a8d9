"""Pages of the error codes: the index of all, and one of each."""

from collections.abc import Sequence
from html import escape

from chalicelib.api.pages.content import Content
from chalicelib.api.pages.html_page import Site, html_page, inline_markup
from chalicelib.core.problems import GROUPS, Problem


def error_index_page(site: Site) -> Content:
    """Return the index, which a script lets people search."""
    groups = "".join(_group(name, problems) for name, problems in GROUPS.items())
    main = (
        '<main class="wide"><h1>Error codes</h1>'
        '<p class="dim">Every error has a stable <code>code</code>, and a page that says what it '
        'means and what to do. Errors are problem details (RFC 9457).</p><p class="search" hidden>'
        '<input id="search" type="search" placeholder="Search codes, status or words" '
        'aria-label="Search error codes" autocomplete="off" spellcheck="false"></p>'
        f'<p id="none" class="dim" role="status" hidden>No code has these words.</p>{groups}</main>'
    )
    return html_page("Error codes · Platen", main, site, path="/errors", assets=["errors.js"])


def error_page(problem: Problem, site: Site) -> Content:
    """Return the page of a code."""
    again = "Yes, after a pause." if problem.retryable else "No, not without a change."
    status = f"HTTP {problem.status}" if problem.status else "inside an object, never as a status"
    main = (
        '<main class="narrow"><p class="dim"><a href="/errors">Error codes</a></p>'
        f'<h1 class="code">{escape(problem.code)}</h1><p class="lead">{escape(problem.title)}</p>'
        f"<dl><dt>Meaning</dt><dd>{inline_markup(problem.meaning)}</dd>"
        f"<dt>What to do</dt><dd>{inline_markup(problem.fix)}</dd>"
        f"<dt>Try again?</dt><dd>{again}</dd><dt>Answered as</dt><dd>{status}</dd></dl></main>"
    )
    return html_page(f"{problem.code} · Platen", main, site, path=f"/errors/{problem.code}")


def _group(name: str, problems: Sequence[Problem]) -> str:
    ordered = sorted(problems, key=lambda problem: (problem.status or 999, problem.code))
    rows = "".join(map(_row, ordered))
    return f'<section class="codes"><h2>{name}</h2><ul>{rows}</ul></section>'


def _row(problem: Problem) -> str:
    status = problem.status or "&ndash;"
    again = '<span class="again">try again</span>' if problem.retryable else ""
    return (
        f'<li><a href="/errors/{problem.code}"><span class="status">{status}</span>'
        f"<code>{problem.code}</code><span>{escape(problem.title)}{again}</span></a></li>"
    )
