"""What a page is made to believe: its medium, window, language, time zone, scripts on or off."""

from chalicelib.engine.browser.pictures import check_size
from chalicelib.engine.browser.pipe import Answer, CallRefused
from chalicelib.engine.browser.tab import Tab
from chalicelib.engine.job import RenderWarning
from chalicelib.engine.options.output import Output


class Emulation:
    """The settings of one page."""

    def __init__(self, tab: Tab) -> None:
        """Change nothing yet."""
        self._tab = tab
        self._doubtful: dict[str, Answer] = {}
        self.warnings: list[RenderWarning] = []

    def begin(self, output: Output) -> None:
        """Send all settings; raises RenderFailure for a window too large for a picture."""
        send = self._tab.send
        window = output.window()
        if window is not None:
            check_size(window.width, window.height, window.device_scale_factor)
        if not output.javascript:
            send("Emulation.setScriptExecutionDisabled", value=True)
        if output.media is not None:
            self.use_media(output.media)
        if output.timezone is not None:
            zone = send("Emulation.setTimezoneOverride", timezoneId=output.timezone)
            self._doubtful["timezone"] = zone
        if output.locale is not None:
            icu = output.locale.replace("-", "_")
            self._doubtful["locale"] = send("Emulation.setLocaleOverride", locale=icu)
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

    def check(self) -> None:
        """Warn of the settings that the browser did not know."""
        for name, answer in self._doubtful.items():
            try:
                self._tab.until(answer, self._tab.deadline)
            except CallRefused as error:
                message = f"output.{name} is not known to the browser and was ignored"
                self.warnings.append(RenderWarning("locale_unsupported", message, str(error)))

    def use_media(self, media: str) -> None:
        """Apply the rules of a CSS media type from now on."""
        self._tab.send("Emulation.setEmulatedMedia", media=media)
