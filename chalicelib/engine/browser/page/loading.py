"""A document shown, or a page visited, and waited for."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.chromium.pipe import Answer, CallRefused
from chalicelib.engine.browser.output.fonts import REQUESTED_FONTS
from chalicelib.engine.browser.page.credentials import Credentials
from chalicelib.engine.browser.page.print_only_layout import load_fonts, skip_screen_layout
from chalicelib.engine.browser.page.tab import Tab
from chalicelib.engine.browser.pool.origin import can_reveal_origin
from chalicelib.engine.browser.requests.assets import BAD_PORT_REASON, has_userinfo
from chalicelib.engine.browser.requests.requests import PageRequests
from chalicelib.engine.browser.requests.transfers import MainResponse
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.options.image import Wait

_POLL_S: Final = 0.01
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


_CONDITION_POLL_S: Final = 0.025
_QUIET_S: Final = 0.5
_MAX_ERROR_CHARS: Final = 300
# Fonts are asked for by the layout, so it is made first. A lazy picture below the fold would
# never be loaded, yet it is printed. What a page has named `images` is not what it has of them.
_WAIT_UNTIL_SETTLED: Final = """async (until) => {
  const own = (name) => Reflect.get(Document.prototype, name, document);
  const reached = until === 'domcontentloaded'
    ? () => own('readyState') !== 'loading' : () => own('readyState') === 'complete';
  while (!reached()) {
    await new Promise((resolve) => {
      window.addEventListener('load', resolve, {once: true});
      setTimeout(resolve, 20);
    });
  }
  own('documentElement')?.getBoundingClientRect();
  await own('fonts').ready;
  for (const image of own('images')) {
    image.loading = 'eager';
    while (!image.complete) {
      await new Promise((resolve) => {
        image.addEventListener('load', resolve, {once: true});
        image.addEventListener('error', resolve, {once: true});
        setTimeout(resolve, 20);
      });
    }
  }
  return ASKED_FONTS;
}""".replace("ASKED_FONTS", REQUESTED_FONTS)
_HAS_SELECTOR: Final = "(s) => Document.prototype.querySelector.call(document, s) !== null"
_FALSY: Final = frozenset({"NaN", "-0", "0n"})


def begin_settling(tab: Tab, wait: Wait) -> Answer:
    """Return the moment at which all that the page has asked for is there, and ASKED_FONTS."""
    tab.settle_answer = tab.call_function(_WAIT_UNTIL_SETTLED, wait.until)
    return tab.settle_answer


def wait_for_conditions(
    tab: Tab, wait: Wait, deadline: Deadline, quiet_s: Callable[[], float]
) -> None:
    """Wait for what the page's owner named; `quiet_s`: since the last request.

    Raises TimeoutError, and RenderFailure `render_failed` for a selector or an expression that is
    none.
    """
    if wait.until == "networkidle":
        while quiet_s() < _QUIET_S:
            tab.pause(_CONDITION_POLL_S, deadline)
    for name, holds in (("selector", _has_selector), ("expression", _is_true)):
        sought = getattr(wait, name)
        if sought is not None:
            tab.waits_for = name
            while not holds(tab, sought, deadline):
                tab.pause(_CONDITION_POLL_S, deadline)
    if wait.delay_ms:
        tab.waits_for = "delay_ms"
        tab.pause(wait.delay_ms / 1000, deadline)
    if wait.selector or wait.expression or wait.delay_ms:
        tab.wait_for(begin_settling(tab, wait), deadline)


def _has_selector(tab: Tab, selector: str, deadline: Deadline) -> bool:
    found = tab.wait_for(tab.call_function(_HAS_SELECTOR, selector), deadline)
    if "exceptionDetails" in found:
        raise RenderFailure("render_failed", "wait.selector is not a valid CSS selector")
    return bool(found["result"]["value"])


def _is_true(tab: Tab, expression: str, deadline: Deadline) -> bool:
    evaluated = tab.send("Runtime.evaluate", expression=expression, awaitPromise=True, silent=True)
    found = tab.wait_for(evaluated, deadline)
    if "exceptionDetails" not in found:
        return _is_truthy(found["result"])
    if found["exceptionDetails"].get("exception", {}).get("className") == "SyntaxError":
        _check_syntax(tab, expression, deadline)
    return False


def _check_syntax(tab: Tab, expression: str, deadline: Deadline) -> None:
    """Refuse what is no JavaScript: it never becomes true, whatever the page does."""
    parameters = {"expression": expression, "sourceURL": "", "persistScript": False}
    compiled = tab.wait_for(tab.send("Runtime.compileScript", **parameters), deadline)
    if "exceptionDetails" in compiled:
        found = compiled["exceptionDetails"].get("exception", {}).get("description", "SyntaxError")
        # The page may have its own say in it.
        first = (str(found).splitlines() or ["SyntaxError"])[0][:_MAX_ERROR_CHARS]
        message = f"wait.expression is not valid JavaScript: {first}"
        raise RenderFailure("render_failed", message)


def _is_truthy(remote: Mapping[str, Any]) -> bool:
    if remote.get("type") in {"object", "function", "symbol"}:
        return remote.get("subtype") != "null"
    if "unserializableValue" in remote:
        return remote["unserializableValue"] not in _FALSY
    return bool(remote.get("value"))
