"""Loading of an HTML document or a URL into a page, and the waits of `output.wait`."""

import json
from concurrent.futures import Future
from functools import cache, partial
from pathlib import Path
from typing import Final

from chalicelib.contract.options.output import OutputOptions
from chalicelib.core.egress_policy import WEB_PREFIXES
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.assets import AssetFiles
from chalicelib.engine.browser.chromium.pipe import CallRefusedError
from chalicelib.engine.browser.chromium.protocol import FunctionResult, PageFunction, RemoteObject
from chalicelib.engine.browser.output.broken_links import HAS_BROKEN_LINK
from chalicelib.engine.browser.output.fonts import REQUESTED_FONTS
from chalicelib.engine.browser.output.page_fit import ADOPT_PAGE
from chalicelib.engine.browser.output.page_texts import HEAD_METADATA
from chalicelib.engine.browser.output.structure_marks import HAS_MARKABLE
from chalicelib.engine.browser.page.canvases import REFUSED_CANVASES, canvas_script
from chalicelib.engine.browser.page.load_deadline import Load
from chalicelib.engine.browser.page.print_only_layout import load_fonts, skip_screen_layout
from chalicelib.engine.browser.requests.assets import BAD_PORT_REASON, has_userinfo
from chalicelib.engine.browser.requests.requests import PageRequests
from chalicelib.engine.browser.requests.transfers import MainResponse
from chalicelib.engine.browser.tab.animations import (
    finish_animations,
    has_moment,
    hold_time,
    is_drawn,
    prepare_frame_clock,
    reaches_end,
    run_to_end,
    wait_in_slices,
)
from chalicelib.engine.browser.tab.credentials import Credentials
from chalicelib.engine.browser.tab.origin import can_reveal_origin
from chalicelib.engine.browser.tab.tab import RequestedFonts, Tab
from chalicelib.engine.deadline import Deadline

_POLL_S: Final = 0.01
_CONDITION_POLL_S: Final = 0.025
_QUIET_S: Final = 0.5
# Time that is moved on leads some pages from one to the next without an end; what came after so
# many is taken as it is.
MAX_NAVIGATIONS_TO_END: Final = 5
# Chromium's answer for the "bad ports" of the Fetch standard.
_UNSAFE_PORT_ERROR: Final = "net::ERR_UNSAFE_PORT"
# Size observers and resize events come with a frame.
_AWAIT_FRAMES: Final = PageFunction[None]("""async () => {
  for (let number = 0; number < 2; number++) await new Promise(requestAnimationFrame);
}""")
_MAX_ERROR_CHARS: Final = 300
_HAS_SELECTOR: Final = PageFunction[bool](
    "(s) => Document.prototype.querySelector.call(document, s) !== null"
)
# Falsy values that CDP cannot return as JSON.
_FALSY: Final = frozenset({"NaN", "-0", "0n"})


def show_document(
    tab: Tab,
    requests: PageRequests,
    html: str,
    load: Load,
    *,
    print_only: bool,
    assets: AssetFiles,
) -> bool:
    """Show a document; raises TimeoutError, and RenderFailure `navigation_failed`.

    Return whether it stays at the page's origin, because it has no assets and cannot reveal it
    (decision 18). `print_only` skips the layout for the window (decision 25), unless the document
    is moved.
    """
    wait, html = load.output.page_wait, _without_lone_surrogates(html)
    tab.waits_for = wait.until
    if assets or has_userinfo(html):
        # The browser blocks such requests before interception; only Network events report them, as
        # they do the bytes of assets.
        requests.enable_network(tab.prepared_page.session)
    stays = not assets and not can_reveal_origin(html)
    try:
        if not stays:
            _prepare_scripts(tab, load.output)
            url = requests.own_origin.serve(html, assets)
            tab.wait_for(tab.send("Page.navigate", url=url), load.deadline)
            load.run(tab.enter_document)
            _settle(tab, load)
        else:
            _set_content(tab, html, load, print_only=print_only)
        if wait.until != "domcontentloaded" and not requests.is_loaded:
            load.run(partial(_wait_for_assets, tab, load, requests))
            _settle(tab, load)
        if not stays:
            load.fit_window()
        wait_for_conditions(tab, load, requests)
        if not print_only:
            reach_end(tab, load, has_scripts=not stays)
    except CallRefusedError as error:
        message = "the document left its page before it could be printed"
        raise RenderFailure("navigation_failed", message) from error
    return stays


def visit_url(
    tab: Tab,
    requests: PageRequests,
    credentials: Credentials,
    url: str,
    load: Load,
) -> None:
    """Navigate to a URL and follow its redirects, those of scripts included.

    Raises TimeoutError, and RenderFailure `navigation_failed` or `url_not_allowed`.
    """
    if not url.lower().startswith(WEB_PREFIXES):
        raise RenderFailure("url_not_allowed", "The address must begin with https:// or http://.")
    # Awaited before the navigation, so that it holds for every renderer process of the page.
    tab.wait_for(requests.enable_network(tab.prepared_page.session), load.deadline)
    credentials.set_cookies(tab, load.deadline)
    requests.allow_navigation(credentials)
    tab.waits_for = load.output.page_wait.until
    _prepare_scripts(tab, load.output)
    try:
        navigation = tab.wait_for(tab.send("Page.navigate", url=url), load.deadline)
    except CallRefusedError as error:
        raise RenderFailure(
            "navigation_failed", f"the address cannot be visited: {error}"
        ) from error
    if navigation.get("isDownload"):
        raise RenderFailure("navigation_failed", "the address leads to a file, not to a page")
    _check_response(requests.main_response, navigation.get("errorText"))
    _follow_client_redirects(tab, requests, load)
    _check_response(requests.main_response)


def begin_settling(tab: Tab, load: Load) -> Future[FunctionResult[RequestedFonts | None]]:
    """Start waiting for fonts and images; the answer holds the result of REQUESTED_FONTS."""
    until = "parsed" if load.is_ended else load.output.page_wait.until
    tab.settle_answer = tab.call_function(_settle_script(), until)
    return tab.settle_answer


def wait_for_conditions(tab: Tab, load: Load, requests: PageRequests) -> None:
    """Wait for the conditions of `output.wait`.

    Raises TimeoutError, RenderFailure `render_failed` for an invalid selector or expression, and
    as `Load.run`.
    """
    wait = load.output.page_wait
    if wait.until == "networkidle":
        load.run(partial(_wait_until_idle, tab, load, requests), min_open_s=_QUIET_S)
    for name, holds in (("selector", _has_selector), ("expression", _is_true)):
        condition = getattr(wait, name)
        if condition is not None:
            tab.waits_for = name
            while not holds(tab, condition, load.deadline):
                tab.pause(_CONDITION_POLL_S, load.deadline)
    if wait.delay_ms:
        tab.waits_for = "delay_ms"
        load.add_time(wait.delay_ms / 1000)
        tab.pause(wait.delay_ms / 1000, load.deadline)
    if has_moment(wait):
        # The page ran on meanwhile and may have added fonts or images.
        _settle(tab, load)
        if tab.has_feature("hasRevealed"):
            # It would be drawn at the beginning of its transition.
            finish_animations(tab)


def await_frames(tab: Tab, deadline: Deadline) -> None:
    """Wait until the document knows its new window; raises TimeoutError, CallRefusedError."""
    tab.wait_for(tab.call_function(_AWAIT_FRAMES), deadline)


def reach_end(tab: Tab, load: Load, *, has_scripts: bool) -> None:
    """Bring the animations of a settled document to their end, if it is drawn there.

    Raises TimeoutError, and CallRefusedError when the document is left.
    """
    if not reaches_end(load.output):
        return
    if has_scripts and load.output.javascript:
        load.run(partial(run_to_end, tab))
        # The page ran on and may have added fonts or images.
        _settle(tab, load)
        if tab.has_feature("hasRevealed"):
            load.run(partial(run_to_end, tab))
            _settle(tab, load)
    else:
        finish_animations(tab)


def _settle(
    tab: Tab, load: Load, begun: Future[FunctionResult[RequestedFonts | None]] | None = None
) -> None:
    """Wait for fonts and images; after a cut-off the wait begins anew."""

    def settle(deadline: Deadline) -> None:
        nonlocal begun
        answer, begun = begun or begin_settling(tab, load), None
        wait_in_slices(tab, answer, deadline)

    load.run(settle)


def _set_content(tab: Tab, html: str, load: Load, *, print_only: bool) -> None:
    """Replace the content of the prepared page, which is faster than a navigation."""
    page_css = load.page_css(html)
    if print_only:
        skip_screen_layout(tab, page_css)
    elif page_css:
        tab.call_function(ADOPT_PAGE, page_css)
    replaced = tab.send("Page.setDocumentContent", frameId=tab.prepared_page.frame, html=html)
    # Sent without waiting for the first answer: saves a round trip.
    if print_only:
        load_fonts(tab)
    settled = begin_settling(tab, load)
    load.run(partial(tab.wait_for, replaced))
    _settle(tab, load, settled)


def _follow_client_redirects(tab: Tab, requests: PageRequests, load: Load) -> None:
    """Wait for the page, and again after each navigation that its scripts begin."""
    left = 0
    while True:
        try:
            load.run(tab.enter_document)
            _settle(tab, load)
            load.fit_window()
            wait_for_conditions(tab, load, requests)
            if left < MAX_NAVIGATIONS_TO_END:
                reach_end(tab, load, has_scripts=True)
        except CallRefusedError:
            # A navigation has destroyed the execution context: wait for the next document.
            left += 1
            if left == MAX_NAVIGATIONS_TO_END:
                hold_time(tab)
        else:
            if not requests.is_redirecting:
                return
        tab.pause(_POLL_S, load.deadline)


def _prepare_scripts(tab: Tab, output: OutputOptions) -> None:
    """Add scripts to the documents that follow, which run before their own."""
    if not output.javascript:
        return
    tab.send("Page.addScriptToEvaluateOnNewDocument", source=canvas_script(output))
    if is_drawn(output):
        tab.send("Page.addScriptToEvaluateOnNewDocument", source=_reveal_script())
    if reaches_end(output):
        prepare_frame_clock(tab)


def _wait_for_assets(tab: Tab, load: Load, requests: PageRequests, deadline: Deadline) -> None:
    """Wait for the assets of an HTML document, until it is loaded or requests nothing more.

    After Page.setDocumentContent the browser reports `complete` as soon as the text is parsed.
    """
    while not (load.is_ended or requests.is_loaded) and requests.quiet_s() < _QUIET_S:
        tab.pause(_POLL_S, deadline)


def _wait_until_idle(tab: Tab, load: Load, requests: PageRequests, deadline: Deadline) -> None:
    """Wait until nothing was requested for a while, or all open requests are cut off."""
    while not load.is_cut_off and requests.quiet_s() < _QUIET_S:
        tab.pause(_CONDITION_POLL_S, deadline)


def _check_response(response: MainResponse | None, error: str | None = None) -> None:
    """Raise RenderFailure unless the page itself was loaded."""
    problem = None if response is None else response.problem
    if problem is None and error is None:
        return
    is_refused = (response is not None and response.is_refused) or error == _UNSAFE_PORT_ERROR
    code = "url_not_allowed" if is_refused else "navigation_failed"
    raise RenderFailure(code, f"the page could not be loaded: {_failure_reason(problem, error)}")


def _failure_reason(problem: str | None, error: str | None) -> str:
    if error == _UNSAFE_PORT_ERROR:
        return BAD_PORT_REASON
    if problem is None or (error and problem.startswith("there was no answer")):
        return f"the browser says {error}"
    return problem


@cache
def _reveal_script() -> str:
    return Path(__file__).with_name("reveal_observed.js").read_text()


def _without_lone_surrogates(html: str) -> str:
    """Replace lone surrogates, which the browser's JSON reader refuses."""
    return html.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@cache
def _settle_script() -> PageFunction[RequestedFonts | None]:
    script = Path(__file__).with_name("settle.js").read_text()
    parts = {
        "REQUESTED_FONTS": REQUESTED_FONTS,
        "HEAD_METADATA": HEAD_METADATA,
        "HAS_BROKEN_LINK": HAS_BROKEN_LINK,
        "HAS_MARKABLE": HAS_MARKABLE,
        "REFUSED_CANVASES": REFUSED_CANVASES,
    }
    for name, text in parts.items():
        script = script.replace(name, text)
    return PageFunction(script)


def _has_selector(tab: Tab, selector: str, deadline: Deadline) -> bool:
    """Tell whether an element matches; raises TimeoutError, RenderFailure `render_failed`."""
    answer = tab.wait_for(tab.call_function(_HAS_SELECTOR, selector), deadline)
    if "exceptionDetails" in answer:
        raise RenderFailure("render_failed", "wait.selector is not a valid CSS selector")
    return answer["result"]["value"]


def _is_true(tab: Tab, expression: str, deadline: Deadline) -> bool:
    """Tell whether a JavaScript expression is truthy; raises as `_has_selector`.

    The tab knows why it is not.
    """
    evaluated = tab.send("Runtime.evaluate", expression=expression, awaitPromise=True, silent=True)
    answer = tab.wait_for(evaluated, deadline)
    if "exceptionDetails" not in answer:
        if _is_truthy(answer["result"]):
            return True
        tab.unmet_reason = f"it is {_falsy_text(answer['result'])}"
        return False
    thrown = answer["exceptionDetails"].get("exception", {})
    tab.unmet_reason = f"it throws {_first_line(thrown.get('description') or 'a value')}"
    # A SyntaxError may also be thrown by the page's own code, so the text is compiled to be sure.
    if thrown.get("className") == "SyntaxError":
        _check_syntax(tab, expression, deadline)
    return False


def _check_syntax(tab: Tab, expression: str, deadline: Deadline) -> None:
    """Raise RenderFailure for an expression that does not compile: it never becomes true."""
    compiling = tab.send(
        "Runtime.compileScript", expression=expression, sourceURL="", persistScript=False
    )
    compiled = tab.wait_for(compiling, deadline)
    if "exceptionDetails" in compiled:
        error = compiled["exceptionDetails"].get("exception", {}).get("description", "SyntaxError")
        message = f"wait.expression is not valid JavaScript: {_first_line(error)}"
        raise RenderFailure("render_failed", message)


def _first_line(error: object) -> str:
    """Return the first line of an error; a page can replace its text by anything."""
    return (str(error).splitlines() or ["SyntaxError"])[0][:_MAX_ERROR_CHARS]


def _falsy_text(remote: RemoteObject) -> str:
    """Return a falsy value as JavaScript writes it."""
    if remote.get("type") == "undefined":
        return "undefined"
    return remote.get("unserializableValue") or json.dumps(remote.get("value"))


def _is_truthy(remote: RemoteObject) -> bool:
    if remote.get("type") in {"object", "function", "symbol"}:
        return remote.get("subtype") != "null"
    if "unserializableValue" in remote:
        return remote["unserializableValue"] not in _FALSY
    return bool(remote.get("value"))
