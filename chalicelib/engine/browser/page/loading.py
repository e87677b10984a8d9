"""A document shown, or a page visited, and waited for."""

from typing import Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.chromium.pipe import CallRefused
from chalicelib.engine.browser.page.credentials import Credentials
from chalicelib.engine.browser.page.print_only_layout import load_fonts, skip_screen_layout
from chalicelib.engine.browser.page.tab import Tab
from chalicelib.engine.browser.page.waiting import begin_settling, wait_for_conditions
from chalicelib.engine.browser.pool.origin import can_reveal_origin
from chalicelib.engine.browser.requests.assets import BAD_PORT_REASON, has_userinfo
from chalicelib.engine.browser.requests.requests import PageRequests
from chalicelib.engine.browser.requests.transfers import MainResponse
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.options.image import Wait

_POLL_S: Final = 0.01
_QUIET_S: Final = 0.5
_WEB_SCHEMES: Final = ("http://", "https://")
# The browser itself asks nobody at the ports of other services.
_UNSAFE_PORT_ERROR: Final = "net::ERR_UNSAFE_PORT"


def show_document(
    tab: Tab, requests: PageRequests, html: str, wait: Wait, deadline: Deadline, *, print_only: bool
) -> None:
    """Show a document; raises TimeoutError, and RenderFailure `navigation_failed`.

    `on_paper`: laid out for nothing else, unless it is one that could tell.
    """
    tab.waits_for, html = wait.until, _without_lone_surrogates(html)
    if has_userinfo(html):
        # What the browser does not ask for, it tells nobody who does not listen.
        requests.enable_network(tab.prepared_page.session)
    try:
        if can_reveal_origin(html):
            tab.wait_for(
                tab.send("Page.navigate", url=requests.serve_at_own_origin(html)), deadline
            )
            tab.enter_document(deadline)
            tab.wait_for(begin_settling(tab, wait), deadline)
        else:
            _set_content(tab, html, wait, deadline, print_only=print_only)
        if wait.until != "domcontentloaded" and not requests.is_loaded:
            _wait_for_assets(tab, requests, wait, deadline)
        wait_for_conditions(tab, wait, deadline, requests.quiet_s)
    except CallRefused as error:
        message = "the document left its page before it could be printed"
        raise RenderFailure("navigation_failed", message) from error


def _set_content(tab: Tab, html: str, wait: Wait, deadline: Deadline, *, print_only: bool) -> None:
    """Put a document where the page stands already: that is faster than to go elsewhere."""
    if print_only:
        skip_screen_layout(tab)
    shown = tab.send("Page.setDocumentContent", frameId=tab.prepared_page.frame, html=html)
    # Sent before the document has answered: one turn less on the way.
    if print_only:
        load_fonts(tab)
    ready = begin_settling(tab, wait)
    tab.wait_for(shown, deadline)
    tab.wait_for(ready, deadline)


def visit_url(
    tab: Tab,
    requests: PageRequests,
    credentials: Credentials,
    url: str,
    wait: Wait,
    deadline: Deadline,
) -> None:
    """Go to a page, and where it leads to.

    Raises TimeoutError, and RenderFailure `navigation_failed` or `url_not_allowed`.
    """
    if not url.lower().startswith(_WEB_SCHEMES):
        raise RenderFailure("url_not_allowed", "only http: and https: addresses can be rendered")
    # Known to each process that the page will have.
    tab.wait_for(requests.enable_network(tab.prepared_page.session), deadline)
    credentials.set_cookies(tab, deadline)
    requests.allow_navigation(credentials)
    tab.waits_for = wait.until
    try:
        gone = tab.wait_for(tab.send("Page.navigate", url=url), deadline)
    except CallRefused as error:
        raise RenderFailure(
            "navigation_failed", f"the address cannot be visited: {error}"
        ) from error
    if gone.get("isDownload"):
        raise RenderFailure("navigation_failed", "the address leads to a file, not to a page")
    _check_response(requests.main_response, gone.get("errorText"))
    _follow_client_redirects(tab, requests, wait, deadline)
    _check_response(requests.main_response)


def _follow_client_redirects(
    tab: Tab, requests: PageRequests, wait: Wait, deadline: Deadline
) -> None:
    """Wait for the page, and again for each that its script leads to meanwhile."""
    while True:
        try:
            tab.enter_document(deadline)
            tab.wait_for(begin_settling(tab, wait), deadline)
            wait_for_conditions(tab, wait, deadline, requests.quiet_s)
        except CallRefused:
            pass
        else:
            if not requests.is_redirecting:
                return
        tab.pause(_POLL_S, deadline)


def _wait_for_assets(tab: Tab, requests: PageRequests, wait: Wait, deadline: Deadline) -> None:
    """Wait for the parts of a document that came as text, until it is loaded or stopped itself.

    The browser calls such a document complete as soon as it is parsed.
    """
    while not requests.is_loaded and requests.quiet_s() < _QUIET_S:
        tab.pause(_POLL_S, deadline)
    tab.wait_for(begin_settling(tab, wait), deadline)


def _check_response(response: MainResponse | None, error: str | None = None) -> None:
    """Raise RenderFailure unless the page has come."""
    problem = None if response is None else response.problem
    if problem is None and error is None:
        return
    refused = (response is not None and response.is_refused) or error == _UNSAFE_PORT_ERROR
    code = "url_not_allowed" if refused else "navigation_failed"
    raise RenderFailure(code, f"the page could not be loaded: {_failure_reason(problem, error)}")


def _failure_reason(problem: str | None, error: str | None) -> str:
    if error == _UNSAFE_PORT_ERROR:
        return BAD_PORT_REASON
    if problem is None or (error and problem.startswith("there was no answer")):
        return f"the browser says {error}"
    return problem


def _without_lone_surrogates(html: str) -> str:
    """Replace lone surrogates: the browser's JSON reader refuses them."""
    return html.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
