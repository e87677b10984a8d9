"""One document in one spare context: shown, waited for, printed."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.output import pictures
from chalicelib.engine.browser.output.accessibility import (
    AccessibilityGap,
    accessibility_gaps,
    link_texts,
)
from chalicelib.engine.browser.output.fonts import InstalledFonts, used_fonts
from chalicelib.engine.browser.output.header_footer import HeaderFooterBatch, print_header_footers
from chalicelib.engine.browser.output.pictures import fit_texts, hide_broken_images
from chalicelib.engine.browser.output.printing import print_pdf
from chalicelib.engine.browser.page.credentials import Credentials
from chalicelib.engine.browser.page.emulation import Emulation
from chalicelib.engine.browser.page.loading import show_document, visit_url
from chalicelib.engine.browser.page.nodes import NodeCount
from chalicelib.engine.browser.page.print_only_layout import is_safe_for
from chalicelib.engine.browser.page.tab import Tab
from chalicelib.engine.browser.page.watch import PageWatch
from chalicelib.engine.browser.pool.prepared_page import PreparedPage
from chalicelib.engine.browser.proxy.budget import TrafficBudget
from chalicelib.engine.browser.requests.assets import without_userinfo
from chalicelib.engine.deadline import Deadline, timeout_failure
from chalicelib.engine.job import RenderWarning
from chalicelib.engine.options.image import Wait
from chalicelib.engine.options.output import OutputOptions
from chalicelib.engine.options.pdf import PdfOptions

_MAX_WARNINGS: Final = 50
_DOCUMENT_URL: Final = "() => Reflect.get(Document.prototype, 'URL', document)"


class BrowserPage:
    """A document's whole life; every wait ends at the job's deadline at the latest."""

    def __init__(
        self,
        prepared_page: PreparedPage,
        deadline: Deadline,
        traffic: TrafficBudget,
        font_families: Path,
    ) -> None:
        """Take over a spare; `traffic` is what it sends, `font_families` a file of its fonts."""
        self._tab = Tab(prepared_page, deadline)
        self._emulation = Emulation(self._tab)
        self._watch = PageWatch(
            prepared_page, traffic, self._tab.crashed, self._emulation.apply_to_frame
        )
        self._font_families = font_families
        self._requested_fonts: Mapping[str, Any] = {}
        self._html_bytes = 0
        self._is_from_url = False
        self.url = ""
        self._warnings: list[RenderWarning] = []
        self.links: list[tuple[str, str]] = []
        self.accessibility_gaps: list[AccessibilityGap] = []

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
        sizes = dict(requests.transfers.bytes_by_kind)
        sizes["html"] = sizes.get("html", 0) + self._html_bytes
        return {
            "fonts": used_fonts(self._requested_fonts, InstalledFonts.read(self._font_families)),
            "bytes": sizes,
            "requests": requests.count,
            "wait": self._tab.waits_for,
        }

    def load(self, html: str, output: OutputOptions, *, needs_screen_layout: bool = False) -> None:
        """Show a document and wait for all that it is to be waited for.

        `measured`: its boxes are looked at before it is drawn. Raises RenderFailure `wait_timeout`,
        `navigation_failed`, `render_timeout`, with strict assets `asset_fetch_failed` or
        `url_not_allowed`, and `render_failed` when its window is too large for a picture.
        """
        self._html_bytes = len(html.encode(errors="replace"))
        self._warn_unused(
            output.http.origin_only_fields, "a document that came as text has no origin"
        )
        on_paper = not needs_screen_layout and is_safe_for(html, output)
        with self._load_phase(output) as patience:
            requests, wait = self._watch.requests, output.wait
            show_document(self._tab, requests, html, wait, patience, print_only=on_paper)

    def visit(self, url: str, output: OutputOptions) -> None:
        """Go to a page; raises as `load`, and `url_not_allowed` for where it leads to."""
        with self._load_phase(output) as patience:
            credentials = Credentials(output.http, url)
            visit_url(self._tab, self._watch.requests, credentials, url, output.wait, patience)
            self._warn_unused(
                credentials.unused_fields, "it is the browser's own or for another host"
            )
            self._is_from_url = True

    def _warn_unused(self, fields: Sequence[str], reason: str) -> None:
        for field in fields:
            message = f"output.http.{field} was ignored: {reason}"
            self._warnings.append(RenderWarning("feature_unavailable", message))

    @contextmanager
    def _load_phase(self, output: OutputOptions) -> Iterator[Deadline]:
        patience = self._tab.deadline.within(output.wait.timeout_ms / 1000)
        self._emulation.apply(output)
        try:
            yield patience
        except TimeoutError as error:
            raise self._timeout_error(output.wait) from error
        self._emulation.check_applied()
        self._requested_fonts = self._tab.settle_answer.result()
        if output.strict_assets:
            self._watch.requests.check_complete()

    def pdf(self, options: PdfOptions) -> bytes:
        """Print the document; raises RenderFailure `render_failed` or `render_timeout`."""
        if options.has_pdfua_target:
            self.links, self.accessibility_gaps = (
                link_texts(self._tab),
                accessibility_gaps(self._tab),
            )
        if options.varies_by_page and self._is_from_url:
            told = self._tab.outcome(self._tab.call_function(_DOCUMENT_URL))
            self.url = without_userinfo(told["result"].get("value") or "")
        content, overlaps = print_pdf(self._tab, options)
        self._warnings += overlaps
        return content

    def header_footer_pdf(self, batch: HeaderFooterBatch, output: OutputOptions) -> bytes:
        """Print headers and footers alone, on an empty page that has shown no document.

        Raises RenderFailure `render_failed` or `render_timeout`.
        """
        self._emulation.apply(output)
        return print_header_footers(self._tab, batch, output.pdf)

    def picture(self, output: OutputOptions) -> bytes:
        """Take a picture as a PNG; raises RenderFailure `render_failed` or `render_timeout`."""
        return pictures.take_picture(self._tab, output)

    def sanitized_html(self, *, ran_scripts: bool) -> str:
        """Write the document; raises RenderFailure `render_failed` or `output_too_large`."""
        return sanitized_html(self._tab, ran_scripts=ran_scripts)

    def fit_canvas(self, output: OutputOptions) -> None:
        """Fit the texts of a canvas, and hide its pictures that cannot be shown.

        Raises RenderFailure `render_failed` or `render_timeout`, with strict assets
        `asset_fetch_failed`.
        """
        for layer in fit_texts(self._tab)[:_MAX_WARNINGS]:
            message = f"The text of {layer} has no room in its box; what did not go in is cut off."
            self._warnings.append(RenderWarning("text_overflow", message, layer))
        for address in hide_broken_images(self._tab):
            self._watch.requests.assets.record_missing(
                address, "it is no picture that can be shown"
            )
        if output.strict_assets:
            self._watch.requests.check_complete()

    def _timeout_error(self, wait: Wait) -> RenderFailure:
        if self._tab.deadline.has_passed:
            return timeout_failure()
        message = (
            f"the page was not ready within wait.timeout_ms ({wait.timeout_ms}); "
            f"it waited for: {self._tab.waits_for}"
        )
        return RenderFailure("wait_timeout", message)


MAX_HTML_CHARS: Final = 50_000_000


def sanitized_html(tab: Tab, *, ran_scripts: bool) -> str:
    """Return the document as it is now; raises RenderFailure `render_failed`, `output_too_large`.

    `scripted`: its scripts have run, so that what stands in their place is not shown.
    """
    NodeCount(tab).check_limit()
    called = tab.call_function(
        _sanitize_script(), tab.prepared_page.origin, ran_scripts, MAX_HTML_CHARS
    )
    found: dict[str, Any] = tab.outcome(called)["result"].get("value") or {}
    if "characters" in found:
        message = (
            f"The page's document has {found['characters']} characters; as html it may have "
            f"{MAX_HTML_CHARS}."
        )
        raise RenderFailure("output_too_large", message)
    if "html" not in found:
        message = "the format html: this page's document cannot be written without its scripts"
        raise RenderFailure("render_failed", message)
    html: str = found["html"]
    return html


@cache
def _sanitize_script() -> str:
    return Path(__file__).with_name("sanitized_html.js").read_text()
