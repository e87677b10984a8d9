"""One document in one spare context: shown, waited for, printed."""

import time
from base64 import b64decode
from collections.abc import Mapping
from concurrent.futures import Future, wait
from typing import Any, Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.pictures import check_size
from chalicelib.engine.browser.pipe import Answer, BrowserHung, CallRefused, PageCrashed, answer_of
from chalicelib.engine.browser.spare import Spare
from chalicelib.engine.browser.watch import Watch
from chalicelib.engine.deadline import Deadline, out_of_time
from chalicelib.engine.job import RenderWarning
from chalicelib.engine.options.image import Viewport, Wait
from chalicelib.engine.options.output import Output
from chalicelib.engine.options.pdf import PdfOptions

_HEARTBEAT_S: Final = 1.0
_HUNG_S: Final = 4.0
_POLL_S: Final = 0.025
_QUIET_S: Final = 0.5
# Fonts are asked for by the layout, so it is made first. A lazy picture below the fold would
# never be loaded, yet it is printed.
_SETTLE: Final = """async (until) => {
  const reached = until === 'domcontentloaded'
    ? () => document.readyState !== 'loading' : () => document.readyState === 'complete';
  while (!reached()) {
    await new Promise((resolve) => {
      window.addEventListener('load', resolve, {once: true});
      setTimeout(resolve, 20);
    });
  }
  document.documentElement?.getBoundingClientRect();
  await document.fonts.ready;
  for (const image of document.images) {
    image.loading = 'eager';
    while (!image.complete) {
      await new Promise((resolve) => {
        image.addEventListener('load', resolve, {once: true});
        image.addEventListener('error', resolve, {once: true});
        setTimeout(resolve, 20);
      });
    }
  }
}"""
# The document's address is our own affair. An empty template would stand for Chromium's own
# header, so this is there even where nothing else is to be printed.
_NO_ADDRESS: Final = "<style>.url{display:none!important}</style>"
_HAS: Final = "(selector) => document.querySelector(selector) !== null"
_FALSY: Final = frozenset({"NaN", "-0", "0n"})


class Page:
    """A document's whole life; every wait ends at the job's deadline at the latest."""

    def __init__(self, spare: Spare, deadline: Deadline) -> None:
        """Take over a spare."""
        self._spare = spare
        self._deadline = deadline
        self._crashed: Future[None] = Future()
        self._watch = Watch(spare, self._crashed)
        self._warnings: list[RenderWarning] = []

    @property
    def warnings(self) -> tuple[RenderWarning, ...]:
        """Return what the owner of the document should know."""
        return (*self._warnings, *self._watch.refused())

    @property
    def logs(self) -> tuple[str, ...]:
        """Return the page's console messages and uncaught exceptions."""
        return self._watch.logs()

    def load(self, html: str, output: Output) -> None:
        """Show a document and wait for all that it is to be waited for.

        Raises RenderFailure `wait_timeout`, `navigation_failed`, `render_timeout`, and
        `render_failed` when its window is too large for a picture.
        """
        window = output.window()
        if window is not None:
            check_size(window.width, window.height, window.device_scale_factor)
        patience = self._deadline.sooner(output.wait.timeout_ms / 1000)
        settings = self._emulate(output, window)
        frame = self._spare.frame
        shown = self._spare.send("Page.setDocumentContent", frameId=frame, html=_encodable(html))
        # Sent before the document has answered: one turn less on the way.
        settled = self._call_function(_SETTLE, output.wait.until)
        try:
            self._until(shown, patience)
            self._until(settled, patience)
            self._wait_for(output.wait, patience)
        except CallRefused as error:
            message = "the document left its page before it could be printed"
            raise RenderFailure("navigation_failed", message) from error
        except TimeoutError as error:
            raise self._late(output.wait) from error
        self._check(settings)

    def pdf(self, options: PdfOptions) -> bytes:
        """Print the document; raises RenderFailure `render_failed` or `render_timeout`."""
        printed = self._spare.send("Page.printToPDF", **_print_parameters(options))
        try:
            return b64decode(self._outcome(printed)["data"])
        except RenderFailure as failure:
            bands = options.bands
            if "Printing failed" not in failure.detail or not (bands.header or bands.footer):
                raise
            message = (
                "the pages could not be printed with this header or footer: they load nothing "
                "from outside, so styles and fonts must stand in them (data: URIs)"
            )
            raise RenderFailure("render_failed", message) from failure

    def png(self, output: Output) -> bytes:
        """Take a picture; raises RenderFailure `render_failed` or `render_timeout`."""
        options, window = output.image, output.window()
        if options.transparent:
            nothing = {"r": 0, "g": 0, "b": 0, "a": 0}
            self._spare.send("Emulation.setDefaultBackgroundColorOverride", color=nothing)
        parameters: dict[str, Any] = {"format": "png"}
        if options.full_page:
            metrics = self._outcome(self._spare.send("Page.getLayoutMetrics"))
            size = metrics["cssContentSize"]
            scale = 1.0 if window is None else window.device_scale_factor
            check_size(size["width"], size["height"], scale)
            clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
            parameters |= {"captureBeyondViewport": True, "clip": clip}
        taken = self._spare.send("Page.captureScreenshot", **parameters)
        return b64decode(self._outcome(taken)["data"])

    def use_media(self, media: str) -> None:
        """Apply the rules of a CSS media type from now on."""
        self._spare.send("Emulation.setEmulatedMedia", media=media)

    def _emulate(self, output: Output, window: Viewport | None) -> Mapping[str, Answer]:
        send = self._spare.send
        settings: dict[str, Answer] = {}
        if not output.javascript:
            send("Emulation.setScriptExecutionDisabled", value=True)
        if output.media is not None:
            self.use_media(output.media)
        if output.timezone is not None:
            settings["timezone"] = send("Emulation.setTimezoneOverride", timezoneId=output.timezone)
        if output.locale is not None:
            icu = output.locale.replace("-", "_")
            settings["locale"] = send("Emulation.setLocaleOverride", locale=icu)
            # An empty user agent leaves the browser's own.
            send("Emulation.setUserAgentOverride", userAgent="", acceptLanguage=output.locale)
        if window is not None:
            send(
                "Emulation.setDeviceMetricsOverride",
                width=window.width,
                height=window.height,
                deviceScaleFactor=window.device_scale_factor,
                mobile=window.mobile,
            )
        return settings

    def _check(self, settings: Mapping[str, Answer]) -> None:
        for name, answer in settings.items():
            try:
                self._until(answer, self._deadline)
            except CallRefused as error:
                message = f"output.{name} is not known to the browser and was ignored"
                self._warnings.append(RenderWarning("locale_unsupported", message, str(error)))

    def _wait_for(self, conditions: Wait, patience: Deadline) -> None:
        if conditions.until == "networkidle":
            while self._watch.quiet_s() < _QUIET_S:
                self._pause(_QUIET_S - self._watch.quiet_s(), patience)
        if conditions.selector is not None:
            while not self._has(conditions.selector, patience):
                self._pause(_POLL_S, patience)
        if conditions.expression is not None:
            while not self._is_true(conditions.expression, patience):
                self._pause(_POLL_S, patience)
        self._pause(conditions.delay_ms / 1000, patience)
        if conditions.selector or conditions.expression or conditions.delay_ms:
            self._until(self._call_function(_SETTLE, conditions.until), patience)

    def _has(self, selector: str, patience: Deadline) -> bool:
        found = self._until(self._call_function(_HAS, selector), patience)
        if "exceptionDetails" in found:
            raise RenderFailure("render_failed", "wait.selector is not a valid CSS selector")
        return bool(found["result"]["value"])

    def _is_true(self, expression: str, patience: Deadline) -> bool:
        evaluated = self._spare.send(
            "Runtime.evaluate", expression=expression, awaitPromise=True, silent=True
        )
        found = self._until(evaluated, patience)
        return "exceptionDetails" not in found and _truth(found["result"])

    def _call_function(self, declaration: str, argument: str) -> Answer:
        return self._spare.send(
            "Runtime.callFunctionOn",
            functionDeclaration=declaration,
            executionContextId=self._spare.world,
            arguments=[{"value": argument}],
            awaitPromise=True,
            returnByValue=True,
        )

    def _outcome(self, answer: Answer) -> dict[str, Any]:
        try:
            return self._until(answer, self._deadline)
        except CallRefused as error:
            raise RenderFailure("render_failed", f"the browser refused: {error}") from error
        except TimeoutError as error:
            raise out_of_time() from error

    def _pause(self, seconds: float, patience: Deadline) -> None:
        if seconds <= 0:
            return
        wait([self._crashed], min(seconds, patience.remaining_s()))
        if self._crashed.done():
            raise PageCrashed
        if patience.passed:
            raise TimeoutError

    def _until(self, answer: Answer, limit: Deadline) -> dict[str, Any]:
        """Return the answer of a call; raises TimeoutError at the limit.

        A page that never yields leaves the browser itself responsive, a hung browser does not:
        while the answer is out, the browser is asked for a sign of life.
        """
        asked_at = time.monotonic()
        sign: Answer | None = None
        while True:
            try:
                return answer_of(answer, self._crashed, min(_HEARTBEAT_S, limit.remaining_s()))
            except TimeoutError:
                if limit.passed:
                    raise
            if sign is None or sign.done():
                if sign is not None:
                    sign.result()
                sign, asked_at = self._spare.pipe.send("Browser.getVersion"), time.monotonic()
            elif time.monotonic() - asked_at > _HUNG_S:
                raise BrowserHung

    def _late(self, conditions: Wait) -> RenderFailure:
        if self._deadline.passed:
            return out_of_time()
        message = f"the page was not ready within wait.timeout_ms ({conditions.timeout_ms})"
        return RenderFailure("wait_timeout", message)


def _print_parameters(options: PdfOptions) -> dict[str, Any]:
    parameters: dict[str, Any] = {
        "landscape": options.landscape,
        "printBackground": options.print_background,
        "scale": options.scale,
        "paperWidth": options.width,
        "paperHeight": options.height,
        "marginTop": options.margin.top,
        "marginRight": options.margin.right,
        "marginBottom": options.margin.bottom,
        "marginLeft": options.margin.left,
        "pageRanges": options.page_ranges,
        "preferCSSPageSize": options.prefer_css_page_size,
        "generateTaggedPDF": options.tagged,
        "generateDocumentOutline": options.outline,
    }
    header, footer = options.bands.header, options.bands.footer
    if header is not None or footer is not None:
        parameters["displayHeaderFooter"] = True
        parameters["headerTemplate"] = _NO_ADDRESS + ((header and header.html) or "")
        parameters["footerTemplate"] = _NO_ADDRESS + ((footer and footer.html) or "")
    return parameters


def _truth(remote: Mapping[str, Any]) -> bool:
    if remote.get("type") in {"object", "function", "symbol"}:
        return remote.get("subtype") != "null"
    if "unserializableValue" in remote:
        return remote["unserializableValue"] not in _FALSY
    return bool(remote.get("value"))


def _encodable(html: str) -> str:
    """Replace lone surrogates: the browser's JSON reader refuses them."""
    return html.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
