"""Loading of an HTML document or a URL into a page, and the waits of `output.wait`."""

from collections.abc import Callable
from concurrent.futures import Future
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from chalicelib.contract.options.image import Wait
from chalicelib.contract.options.output import OutputOptions
from chalicelib.core.destinations import WEB_PREFIXES
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.chromium.pipe import CallRefused
from chalicelib.engine.browser.chromium.protocol import FunctionResult, PageFunction
from chalicelib.engine.browser.output.fonts import REQUESTED_FONTS, RequestedFonts
from chalicelib.engine.browser.output.page_fit import ADOPT_PAGE, default_page_css
from chalicelib.engine.browser.output.page_style import may_have_page_rules
from chalicelib.engine.browser.output.page_texts import HEAD_METADATA
from chalicelib.engine.browser.page.animations import (
    finish_animations,
    has_moment,
    hold_time,
    is_drawn,
    prepare_frame_clock,
    reaches_end,
    run_to_end,
    wait_in_slices,
)
from chalicelib.engine.browser.page.conditions import has_selector, is_true
from chalicelib.engine.browser.page.credentials import Credentials
from chalicelib.engine.browser.page.print_only_layout import load_fonts, skip_screen_layout
from chalicelib.engine.browser.page.tab import Tab
from chalicelib.engine.browser.pool.origin import can_reveal_origin
from chalicelib.engine.browser.requests.assets import BAD_PORT_REASON, has_userinfo
from chalicelib.engine.browser.requests.requests import PageRequests
from chalicelib.engine.browser.requests.transfers import MainResponse
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.inputs.assets import AssetFiles

_POLL_S: Final = 0.01
_CONDITION_POLL_S: Final = 0.025
_QUIET_S: Final = 0.5
# Time that is moved on leads some pages from one to the next without an end; what came after so
# many is taken as it is.
MAX_NAVIGATIONS_TO_END: Final = 5
# Chromium's answer for the "bad ports" of the Fetch standard.
_UNSAFE_PORT_ERROR: Final = "net::ERR_UNSAFE_PORT"
# A layout is forced first, as it requests the fonts. Lazy images below the fold would never load,
# yet they are printed. What waits to come into sight is shown once (reveal_observed.js). `own`
# reads through the prototype: an element named `images` would shadow `document.images`.
_WAIT_UNTIL_SETTLED: Final = PageFunction[RequestedFonts | None](
    """async (until) => {
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
  const awaitImages = async () => {
    let hasBroken = false;
    for (const image of own('images')) {
      image.loading = 'eager';
      while (!image.complete) {
        await new Promise((resolve) => {
          image.addEventListener('load', resolve, {once: true});
          image.addEventListener('error', resolve, {once: true});
          setTimeout(resolve, 20);
        });
      }
      hasBroken ||= !image.naturalWidth;
    }
    return hasBroken;
  };
  let hasBrokenImage = await awaitImages();
  const reveals = (target) => {
    try {
      const hasOwn = !target.dispatchEvent(new Event('platen-reveal', {cancelable: true}));
      return [...Array(target.length).keys()].map((n) => reveals(target[n])).includes(true)
        || hasOwn;
    } catch {
      return false;
    }
  };
  const hasRevealed = reveals(window);
  if (hasRevealed) {
    // Scripts show things in a task of its own.
    await new Promise((resolve) => setTimeout(resolve, 20));
    hasBrokenImage = await awaitImages();
  }
  const fonts = ASKED_FONTS;
  const isRtl = fonts && getComputedStyle(own('documentElement')).direction === 'rtl';
  const metadata = HEAD_METADATA;
  const hasFrames = fonts && Document.prototype.querySelector.call(
    document, 'iframe, frame, object, embed') !== null;
  return fonts && {...fonts, hasBrokenImage, hasFrames, hasRevealed, isRtl, metadata};
}""".replace("ASKED_FONTS", REQUESTED_FONTS).replace("HEAD_METADATA", HEAD_METADATA)
)
# Size observers and resize events come with a frame.
_AWAIT_FRAMES: Final = PageFunction[None]("""async () => {
  for (let number = 0; number < 2; number++) await new Promise(requestAnimationFrame);
}""")


class Load(NamedTuple):
    """One loading of a document: its options and its end.

    `lay_out` is called when style sheets and assets are there, before any condition is awaited.
    """

    output: OutputOptions
    deadline: Deadline
    lay_out: Callable[[], None]

    def page_css(self, html: str) -> str:
        """Return the style sheet of the pages that a document without scripts is printed on.

        It is empty for one that may say something about them itself.
        """
        if "pdf" not in self.output.formats or may_have_page_rules(html):
            return ""
        return default_page_css(self.output.pdf)


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
    wait, deadline, html = load.output.page_wait, load.deadline, _without_lone_surrogates(html)
    tab.waits_for = wait.until
    if assets or has_userinfo(html):
        # The browser blocks such requests before interception; only Network events report them, as
        # they do the bytes of assets.
        requests.enable_network(tab.prepared_page.session)
    stays = not assets and not can_reveal_origin(html)
    try:
        if not stays:
            _prepare_end(tab, load.output)
            url = requests.own_origin.serve(html, assets)
            tab.wait_for(tab.send("Page.navigate", url=url), deadline)
            tab.enter_document(deadline)
            tab.wait_for(begin_settling(tab, wait), deadline)
        else:
            _set_content(tab, html, load, print_only=print_only)
        if wait.until != "domcontentloaded" and not requests.is_loaded:
            _wait_for_assets(tab, requests, wait, deadline)
        if not stays:
            load.lay_out()
        wait_for_conditions(tab, wait, deadline, requests.quiet_s)
        if not print_only:
            reach_end(tab, load, has_scripts=not stays)
    except CallRefused as error:
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
    _prepare_end(tab, load.output)
    try:
        navigation = tab.wait_for(tab.send("Page.navigate", url=url), load.deadline)
    except CallRefused as error:
        raise RenderFailure(
            "navigation_failed", f"the address cannot be visited: {error}"
        ) from error
    if navigation.get("isDownload"):
        raise RenderFailure("navigation_failed", "the address leads to a file, not to a page")
    _check_response(requests.main_response, navigation.get("errorText"))
    _follow_client_redirects(tab, requests, load)
    _check_response(requests.main_response)


def begin_settling(tab: Tab, wait: Wait) -> Future[FunctionResult[RequestedFonts | None]]:
    """Start waiting for fonts and images; the answer holds the result of REQUESTED_FONTS."""
    tab.settle_answer = tab.call_function(_WAIT_UNTIL_SETTLED, wait.until)
    return tab.settle_answer


def wait_for_conditions(
    tab: Tab, wait: Wait, deadline: Deadline, quiet_s: Callable[[], float]
) -> None:
    """Wait for the conditions of `wait`; `quiet_s` returns the seconds without any request.

    Raises TimeoutError, and RenderFailure `render_failed` for an invalid selector or expression.
    """
    if wait.until == "networkidle":
        while quiet_s() < _QUIET_S:
            tab.pause(_CONDITION_POLL_S, deadline)
    for name, holds in (("selector", has_selector), ("expression", is_true)):
        condition = getattr(wait, name)
        if condition is not None:
            tab.waits_for = name
            while not holds(tab, condition, deadline):
                tab.pause(_CONDITION_POLL_S, deadline)
    if wait.delay_ms:
        tab.waits_for = "delay_ms"
        tab.pause(wait.delay_ms / 1000, deadline)
    if has_moment(wait):
        _settle_at_moment(tab, wait, deadline)


def _settle_at_moment(tab: Tab, wait: Wait, deadline: Deadline) -> None:
    """Wait for what the page added meanwhile: fonts, images, and what only now appears."""
    tab.wait_for(begin_settling(tab, wait), deadline)
    if tab.has_feature("hasRevealed"):
        # It would be drawn at the beginning of its transition.
        finish_animations(tab)


def await_frames(tab: Tab, deadline: Deadline) -> None:
    """Wait until the document knows its new window; raises TimeoutError, CallRefused."""
    tab.wait_for(tab.call_function(_AWAIT_FRAMES), deadline)


def reach_end(tab: Tab, load: Load, *, has_scripts: bool) -> None:
    """Bring the animations of a settled document to their end, if it is drawn there.

    Raises TimeoutError, and CallRefused when the document is left.
    """
    if not reaches_end(load.output):
        return
    if has_scripts and load.output.javascript:
        run_to_end(tab, load.deadline)
        # The page ran on and may have added fonts or images.
        _settle(tab, load.output.page_wait, load.deadline)
        if tab.has_feature("hasRevealed"):
            run_to_end(tab, load.deadline)
            _settle(tab, load.output.page_wait, load.deadline)
    else:
        finish_animations(tab)


def _settle(tab: Tab, wait: Wait, deadline: Deadline) -> None:
    wait_in_slices(tab, begin_settling(tab, wait), deadline)


def _set_content(tab: Tab, html: str, load: Load, *, print_only: bool) -> None:
    """Replace the content of the prepared page, which is faster than a navigation."""
    wait, deadline = load.output.page_wait, load.deadline
    page_css = load.page_css(html)
    if print_only:
        skip_screen_layout(tab, page_css)
    elif page_css:
        tab.call_function(ADOPT_PAGE, page_css)
    replaced = tab.send("Page.setDocumentContent", frameId=tab.prepared_page.frame, html=html)
    # Sent without waiting for the first answer: saves a round trip.
    if print_only:
        load_fonts(tab)
    settled = begin_settling(tab, wait)
    tab.wait_for(replaced, deadline)
    tab.wait_for(settled, deadline)


def _follow_client_redirects(tab: Tab, requests: PageRequests, load: Load) -> None:
    """Wait for the page, and again after each navigation that its scripts begin."""
    wait, deadline, left = load.output.page_wait, load.deadline, 0
    while True:
        try:
            tab.enter_document(deadline)
            _settle(tab, wait, deadline)
            load.lay_out()
            wait_for_conditions(tab, wait, deadline, requests.quiet_s)
            if left < MAX_NAVIGATIONS_TO_END:
                reach_end(tab, load, has_scripts=True)
        except CallRefused:
            # A navigation has destroyed the execution context: wait for the next document.
            left += 1
            if left == MAX_NAVIGATIONS_TO_END:
                hold_time(tab)
        else:
            if not requests.is_redirecting:
                return
        tab.pause(_POLL_S, deadline)


def _prepare_end(tab: Tab, output: OutputOptions) -> None:
    if output.javascript and is_drawn(output):
        tab.send("Page.addScriptToEvaluateOnNewDocument", source=_reveal_script())
    if output.javascript and reaches_end(output):
        prepare_frame_clock(tab)


def _wait_for_assets(tab: Tab, requests: PageRequests, wait: Wait, deadline: Deadline) -> None:
    """Wait for the assets of an HTML document, until it is loaded or requests nothing more.

    After Page.setDocumentContent the browser reports `complete` as soon as the text is parsed.
    """
    while not requests.is_loaded and requests.quiet_s() < _QUIET_S:
        tab.pause(_POLL_S, deadline)
    tab.wait_for(begin_settling(tab, wait), deadline)


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
