"""Emulated environment of a page: media, viewport, locale, time zone, JavaScript."""

from collections.abc import Callable, Mapping
from typing import Final

from chalicelib.contract.options.image import Window
from chalicelib.contract.options.output import OutputOptions
from chalicelib.core.json import JsonObject
from chalicelib.engine.browser.chromium.pipe import Answer, CallRefusedError
from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.tab.tab import Tab
from chalicelib.engine.context import RenderWarning
from chalicelib.engine.picture_sizes import check_sizes

# Emulation.setLocaleOverride accepts any tag; for an unsupported one the browser silently falls
# back to its own language.
_SUPPORTS_LOCALE: Final = PageFunction[bool]("""(tag) => {
  try { return Intl.DateTimeFormat.supportedLocalesOf([tag]).length > 0 } catch { return false }
}""")
type _Send = Callable[[str, JsonObject], Answer]


class Emulation:
    """Emulation settings of one page and its frames."""

    def __init__(self, tab: Tab) -> None:
        """Bind to a tab; change nothing yet."""
        self._tab = tab
        self._output: OutputOptions | None = None
        self.window: Window | None = None
        self._unconfirmed: Mapping[str, Answer] = {}
        self._ignored_fields: set[str] = set()
        self.warnings: list[RenderWarning] = []

    def apply(self, output: OutputOptions) -> None:
        """Send all settings; raises RenderFailure for a viewport too large for a picture."""
        check_sizes(output)
        self._output = output
        self._unconfirmed = _send_settings(
            output, lambda method, values: self._tab.send(method, **values)
        )
        if output.media is not None:
            self.set_media(output.media)
        if (window := output.layout_viewport()) is not None:
            self.set_window(window)

    def apply_to_frame(self, session: str) -> None:
        """Send the settings that each renderer process needs to the session of a frame."""
        pipe = self._tab.prepared_page.pipe
        if self._output is not None:
            _send_settings(self._output, lambda method, values: pipe.send(method, values, session))

    def check_applied(self) -> None:
        """Add a warning for each setting that the browser refused or does not support."""
        for name, answer in self._unconfirmed.items():
            try:
                self._tab.wait_for(answer, self._tab.deadline)
            except CallRefusedError as error:
                self._warn_ignored(name, str(error))
        locale = self._output.locale if self._output else None
        if (
            locale is not None
            and "locale" not in self._ignored_fields
            and not self._supports_locale(locale)
        ):
            self._warn_ignored("locale", f"{locale}: use a BCP 47 tag of a language in use")

    def set_window(self, window: Window) -> None:
        """Set the window that the page is laid out in."""
        self.window = window
        self.show_in(window)

    def show_in(self, window: Window) -> None:
        """Lay the page out in another window until `restore`."""
        self._tab.send(
            "Emulation.setDeviceMetricsOverride",
            width=window.width,
            height=window.height,
            deviceScaleFactor=window.device_scale_factor,
            mobile=window.mobile,
        )

    def restore(self) -> None:
        """Set window and media type again after a print changed them."""
        if self._output is None:
            return
        self.set_media(self._output.media or "")
        if self.window is not None:
            self.set_window(self.window)
        else:
            self._tab.send("Emulation.clearDeviceMetricsOverride")

    def set_print_media(self) -> None:
        """Switch to the media type in which the document is printed, to measure its layout."""
        chosen = self._output.media if self._output else None
        self.set_media(chosen or "print")

    def set_media(self, media: str) -> None:
        """Switch to a CSS media type."""
        self._tab.send("Emulation.setEmulatedMedia", media=media)

    def _supports_locale(self, locale: str) -> bool:
        call = self._tab.call_function(_SUPPORTS_LOCALE, locale)
        answer = self._tab.wait_for(call, self._tab.deadline)
        return bool(answer["result"].get("value"))

    def _warn_ignored(self, name: str, reason: str) -> None:
        self._ignored_fields.add(name)
        message = f"output.{name} is not known to the browser and was ignored"
        self.warnings.append(RenderWarning("locale_unsupported", message, reason))


def _send_settings(output: OutputOptions, send: _Send) -> Mapping[str, Answer]:
    """Send the settings each process needs; return the answers that may be errors, by field."""
    unconfirmed: dict[str, Answer] = {}
    if not output.javascript:
        send("Emulation.setScriptExecutionDisabled", {"value": True})
    if output.timezone is not None:
        zone = {"timezoneId": output.timezone}
        unconfirmed["timezone"] = send("Emulation.setTimezoneOverride", zone)
    if output.locale is not None:
        # CDP expects the ICU form: de_DE for de-DE.
        icu = {"locale": output.locale.replace("-", "_")}
        unconfirmed["locale"] = send("Emulation.setLocaleOverride", icu)
    if output.locale is not None or output.http.user_agent is not None:
        # An empty user agent keeps the default one.
        agent = {"userAgent": output.http.user_agent or ""}
        language = {"acceptLanguage": output.locale} if output.locale else {}
        send("Emulation.setUserAgentOverride", {**agent, **language})
    return unconfirmed
