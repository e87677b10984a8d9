"""A document shown, or a page visited, and waited for."""

from typing import Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.arrival import Arrival
from chalicelib.engine.browser.bad_ports import WHY
from chalicelib.engine.browser.blocked import has_user
from chalicelib.engine.browser.credentials import Credentials
from chalicelib.engine.browser.origin import can_tell
from chalicelib.engine.browser.paper import ask_for_fonts, leave_out_screen
from chalicelib.engine.browser.pipe import CallRefused
from chalicelib.engine.browser.requests import Requests
from chalicelib.engine.browser.tab import Tab
from chalicelib.engine.browser.waiting import settled, wait_for
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.options.image import Wait

_POLL_S: Final = 0.01
_QUIET_S: Final = 0.5
_OUTSIDE: Final = ("http://", "https://")
# The browser itself asks nobody at the ports of other services.
_UNSAFE_PORT: Final = "net::ERR_UNSAFE_PORT"


def show(
    tab: Tab, requests: Requests, html: str, wait: Wait, patience: Deadline, *, on_paper: bool
) -> None:
    """Show a document; raises TimeoutError, and RenderFailure `navigation_failed`.

    `on_paper`: laid out for nothing else, unless it is one that could tell.
    """
    tab.waits_for, html = wait.until, _encodable(html)
    if has_user(html):
        # What the browser does not ask for, it tells nobody who does not listen.
        requests.listen(tab.spare.session)
    try:
        if can_tell(html):
            tab.until(tab.send("Page.navigate", url=requests.move(html)), patience)
            tab.enter(patience)
            tab.until(settled(tab, wait), patience)
        else:
            _write(tab, html, wait, patience, on_paper=on_paper)
        if wait.until != "domcontentloaded" and not requests.loaded:
            _load(tab, requests, wait, patience)
        wait_for(tab, wait, patience, requests.quiet_s)
    except CallRefused as error:
        message = "the document left its page before it could be printed"
        raise RenderFailure("navigation_failed", message) from error


def _write(tab: Tab, html: str, wait: Wait, patience: Deadline, *, on_paper: bool) -> None:
    """Put a document where the page stands already: that is faster than to go elsewhere."""
    if on_paper:
        leave_out_screen(tab)
    shown = tab.send("Page.setDocumentContent", frameId=tab.spare.frame, html=html)
    # Sent before the document has answered: one turn less on the way.
    if on_paper:
        ask_for_fonts(tab)
    ready = settled(tab, wait)
    tab.until(shown, patience)
    tab.until(ready, patience)


def visit(
    tab: Tab, requests: Requests, credentials: Credentials, url: str, wait: Wait, patience: Deadline
) -> None:
    """Go to a page, and where it leads to.

    Raises TimeoutError, and RenderFailure `navigation_failed` or `url_not_allowed`.
    """
    if not url.lower().startswith(_OUTSIDE):
        raise RenderFailure("url_not_allowed", "only http: and https: addresses can be rendered")
    # Known to each process that the page will have.
    tab.until(requests.listen(tab.spare.session), patience)
    credentials.give(tab, patience)
    requests.follow(credentials)
    tab.waits_for = wait.until
    try:
        gone = tab.until(tab.send("Page.navigate", url=url), patience)
    except CallRefused as error:
        raise RenderFailure(
            "navigation_failed", f"the address cannot be visited: {error}"
        ) from error
    if gone.get("isDownload"):
        raise RenderFailure("navigation_failed", "the address leads to a file, not to a page")
    _check(requests.arrival, gone.get("errorText"))
    _follow(tab, requests, wait, patience)
    _check(requests.arrival)


def _follow(tab: Tab, requests: Requests, wait: Wait, patience: Deadline) -> None:
    """Wait for the page, and again for each that its script leads to meanwhile."""
    while True:
        try:
            tab.enter(patience)
            tab.until(settled(tab, wait), patience)
            wait_for(tab, wait, patience, requests.quiet_s)
        except CallRefused:
            pass
        else:
            if not requests.leading_away:
                return
        tab.pause(_POLL_S, patience)


def _load(tab: Tab, requests: Requests, wait: Wait, patience: Deadline) -> None:
    """Wait for the parts of a document that came as text, until it is loaded or stopped itself.

    The browser calls such a document complete as soon as it is parsed.
    """
    while not requests.loaded and requests.quiet_s() < _QUIET_S:
        tab.pause(_POLL_S, patience)
    tab.until(settled(tab, wait), patience)


def _check(arrival: Arrival | None, error: str | None = None) -> None:
    """Raise RenderFailure unless the page has come."""
    problem = None if arrival is None else arrival.problem
    if problem is None and error is None:
        return
    refused = (arrival is not None and arrival.refused) or error == _UNSAFE_PORT
    code = "url_not_allowed" if refused else "navigation_failed"
    raise RenderFailure(code, f"the page could not be loaded: {_reason(problem, error)}")


def _reason(problem: str | None, error: str | None) -> str:
    if error == _UNSAFE_PORT:
        return WHY
    if problem is None or (error and problem.startswith("there was no answer")):
        return f"the browser says {error}"
    return problem


def _encodable(html: str) -> str:
    """Replace lone surrogates: the browser's JSON reader refuses them."""
    return html.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
