"""One document in one spare context: shown, waited for, printed."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser import pictures
from chalicelib.engine.browser.anchors import anchors
from chalicelib.engine.browser.assets import without_user
from chalicelib.engine.browser.credentials import Credentials
from chalicelib.engine.browser.emulation import Emulation
from chalicelib.engine.browser.fonts import InstalledFonts, used_fonts
from chalicelib.engine.browser.loading import show, visit
from chalicelib.engine.browser.markup import markup
from chalicelib.engine.browser.paper import is_enough
from chalicelib.engine.browser.printing import printed
from chalicelib.engine.browser.sheets import Sheets, print_sheets
from chalicelib.engine.browser.spare import Spare
from chalicelib.engine.browser.tab import Tab
from chalicelib.engine.browser.texts import fit_texts
from chalicelib.engine.browser.traffic import Traffic
from chalicelib.engine.browser.unshown import hide_unshown
from chalicelib.engine.browser.untagged import Untagged, untagged
from chalicelib.engine.browser.watch import Watch
from chalicelib.engine.deadline import Deadline, out_of_time
from chalicelib.engine.job import RenderWarning
from chalicelib.engine.options.image import Wait
from chalicelib.engine.options.output import Output
from chalicelib.engine.options.pdf import PdfOptions

_MOST_WARNINGS: Final = 50
_ADDRESS: Final = "() => Reflect.get(Document.prototype, 'URL', document)"


class Page:
    """A document's whole life; every wait ends at the job's deadline at the latest."""

    def __init__(
        self, spare: Spare, deadline: Deadline, traffic: Traffic, font_families: Path
    ) -> None:
        """Take over a spare; `traffic` is what it sends, `font_families` a file of its fonts."""
        self._tab = Tab(spare, deadline)
        self._emulation = Emulation(self._tab)
        self._watch = Watch(spare, traffic, self._tab.crashed, self._emulation.adopt)
        self._installed = font_families
        self._asked_fonts: Mapping[str, Any] = {}
        self._html_bytes = 0
        self._is_of_the_web = False
        self.address = ""
        self._warnings: list[RenderWarning] = []
        self.links: list[tuple[str, str]] = []
        self.untagged: list[Untagged] = []

    @property
    def warnings(self) -> tuple[RenderWarning, ...]:
        """Return what the owner of the document should know."""
        return (*self._warnings, *self._emulation.warnings, *self._watch.requests.warnings())

    @property
    def logs(self) -> tuple[str, ...]:
        """Return the page's console messages and uncaught exceptions."""
        return self._watch.logs()

    @property
    def explanation(self) -> Mapping[str, Any]:
        """Return how the page came about: the contract's Explain."""
        requests = self._watch.requests
        sizes = dict(requests.transfers.bytes)
        sizes["html"] = sizes.get("html", 0) + self._html_bytes
        return {
            "fonts": used_fonts(self._asked_fonts, InstalledFonts.read(self._installed)),
            "bytes": sizes,
            "requests": requests.count,
            "wait": self._tab.waits_for,
        }

    def load(self, html: str, output: Output, *, measured: bool = False) -> None:
        """Show a document and wait for all that it is to be waited for.

        `measured`: its boxes are looked at before it is drawn. Raises RenderFailure `wait_timeout`,
        `navigation_failed`, `render_timeout`, with strict assets `asset_fetch_failed` or
        `url_not_allowed`, and `render_failed` when its window is too large for a picture.
        """
        self._html_bytes = len(html.encode(errors="replace"))
        self._warn_unused(output.http.of_an_origin, "a document that came as text has no origin")
        on_paper = not measured and is_enough(html, output)
        with self._loading(output) as patience:
            requests, wait = self._watch.requests, output.wait
            show(self._tab, requests, html, wait, patience, on_paper=on_paper)

    def visit(self, url: str, output: Output) -> None:
        """Go to a page; raises as `load`, and `url_not_allowed` for where it leads to."""
        with self._loading(output) as patience:
            credentials = Credentials(output.http, url)
            visit(self._tab, self._watch.requests, credentials, url, output.wait, patience)
            self._warn_unused(credentials.unused, "it is the browser's own or for another host")
            self._is_of_the_web = True

    def _warn_unused(self, fields: Sequence[str], why: str) -> None:
        for field in fields:
            message = f"output.http.{field} was ignored: {why}"
            self._warnings.append(RenderWarning("feature_unavailable", message))

    @contextmanager
    def _loading(self, output: Output) -> Iterator[Deadline]:
        patience = self._tab.deadline.sooner(output.wait.timeout_ms / 1000)
        self._emulation.begin(output)
        try:
            yield patience
        except TimeoutError as error:
            raise self._late(output.wait) from error
        self._emulation.check()
        self._asked_fonts = self._tab.settled.result()
        if output.strict_assets:
            self._watch.requests.insist()

    def pdf(self, options: PdfOptions) -> bytes:
        """Print the document; raises RenderFailure `render_failed` or `render_timeout`."""
        if options.held_to_pdfua:
            self.links, self.untagged = anchors(self._tab), untagged(self._tab)
        if options.stamped and self._is_of_the_web:
            told = self._tab.outcome(self._tab.call_function(_ADDRESS))
            self.address = without_user(told["result"].get("value") or "")
        content, overlaps = printed(self._tab, options)
        self._warnings += overlaps
        return content

    def sheets(self, sheets: Sheets, output: Output) -> bytes:
        """Print headers and footers alone, on an empty page that has shown no document.

        Raises RenderFailure `render_failed` or `render_timeout`.
        """
        self._emulation.begin(output)
        return print_sheets(self._tab, sheets, output.pdf)

    def picture(self, output: Output) -> bytes:
        """Take a picture as a PNG; raises RenderFailure `render_failed` or `render_timeout`."""
        return pictures.picture(self._tab, output)

    def markup(self, *, scripted: bool) -> str:
        """Write the document; raises RenderFailure `render_failed` or `output_too_large`."""
        return markup(self._tab, scripted=scripted)

    def fit_canvas(self, output: Output) -> None:
        """Fit the texts of a canvas, and hide its pictures that cannot be shown.

        Raises RenderFailure `render_failed` or `render_timeout`, with strict assets
        `asset_fetch_failed`.
        """
        for layer in fit_texts(self._tab)[:_MOST_WARNINGS]:
            message = f"The text of {layer} has no room in its box; what did not go in is cut off."
            self._warnings.append(RenderWarning("text_overflow", message, layer))
        for address in hide_unshown(self._tab):
            self._watch.requests.assets.miss(address, "it is no picture that can be shown")
        if output.strict_assets:
            self._watch.requests.insist()

    def _late(self, conditions: Wait) -> RenderFailure:
        if self._tab.deadline.passed:
            return out_of_time()
        message = (
            f"the page was not ready within wait.timeout_ms ({conditions.timeout_ms}); "
            f"it waited for: {self._tab.waits_for}"
        )
        return RenderFailure("wait_timeout", message)
