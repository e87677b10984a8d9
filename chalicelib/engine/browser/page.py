"""One document in one spare context: shown, waited for, printed."""

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser import pictures
from chalicelib.engine.browser.emulation import Emulation
from chalicelib.engine.browser.pipe import CallRefused
from chalicelib.engine.browser.printing import printed
from chalicelib.engine.browser.proxy import Traffic
from chalicelib.engine.browser.sheets import Sheets, print_sheets
from chalicelib.engine.browser.spare import Spare
from chalicelib.engine.browser.tab import Tab
from chalicelib.engine.browser.waiting import settled, wait_for
from chalicelib.engine.browser.watch import Watch
from chalicelib.engine.deadline import Deadline, out_of_time
from chalicelib.engine.job import RenderWarning
from chalicelib.engine.options.image import Wait
from chalicelib.engine.options.output import Output
from chalicelib.engine.options.pdf import PdfOptions


class Page:
    """A document's whole life; every wait ends at the job's deadline at the latest."""

    def __init__(self, spare: Spare, deadline: Deadline, traffic: Traffic) -> None:
        """Take over a spare; `traffic` is what it sends and gets."""
        self._traffic = traffic
        self._tab = Tab(spare, deadline)
        self._watch = Watch(spare, self._tab.crashed)
        self._emulation = Emulation(self._tab)
        self._warnings: list[RenderWarning] = []

    @property
    def origin(self) -> str:
        """Return the origin of a document that came as text: our own affair, to be told nobody."""
        return self._tab.spare.origin

    @property
    def warnings(self) -> tuple[RenderWarning, ...]:
        """Return what the owner of the document should know."""
        return (*self._warnings, *self._emulation.warnings, *self._watch.refused())

    @property
    def logs(self) -> tuple[str, ...]:
        """Return the page's console messages and uncaught exceptions."""
        return self._watch.logs()

    def load(self, html: str, output: Output) -> None:
        """Show a document and wait for all that it is to be waited for.

        Raises RenderFailure `wait_timeout`, `navigation_failed`, `render_timeout`, and
        `render_failed` when its window is too large for a picture.
        """
        patience = self._tab.deadline.sooner(output.wait.timeout_ms / 1000)
        self._emulation.begin(output)
        frame = self._tab.spare.frame
        shown = self._tab.send("Page.setDocumentContent", frameId=frame, html=_encodable(html))
        # Sent before the document has answered: one turn less on the way.
        ready = settled(self._tab, output.wait)
        try:
            self._tab.until(shown, patience)
            self._tab.until(ready, patience)
            wait_for(self._tab, output.wait, patience, self._watch.quiet_s)
        except CallRefused as error:
            message = "the document left its page before it could be printed"
            raise RenderFailure("navigation_failed", message) from error
        except TimeoutError as error:
            raise self._late(output.wait) from error
        self._emulation.check()

    def pdf(self, options: PdfOptions) -> bytes:
        """Print the document; raises RenderFailure `render_failed` or `render_timeout`."""
        content, overlaps = printed(self._tab, options)
        self._warnings += overlaps
        return content

    def sheets(self, sheets: Sheets, output: Output) -> bytes:
        """Print headers and footers alone, on an empty page that has shown no document.

        Raises RenderFailure `render_failed` or `render_timeout`.
        """
        self._emulation.begin(output)
        return print_sheets(self._tab, sheets, output.pdf)

    def picture(self, format_: str, output: Output) -> bytes:
        """Take a picture; raises RenderFailure `render_failed` or `render_timeout`."""
        return pictures.picture(self._tab, format_, output)

    def use_media(self, media: str) -> None:
        """Apply the rules of a CSS media type from now on."""
        self._emulation.use_media(media)

    def _late(self, conditions: Wait) -> RenderFailure:
        if self._tab.deadline.passed:
            return out_of_time()
        message = f"the page was not ready within wait.timeout_ms ({conditions.timeout_ms})"
        return RenderFailure("wait_timeout", message)


def _encodable(html: str) -> str:
    """Replace lone surrogates: the browser's JSON reader refuses them."""
    return html.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
