"""Facade of one document in a prepared page: load, warnings, and each output format."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from copy import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from chalicelib.contract.options.image import Wait
from chalicelib.contract.options.output import OutputOptions
from chalicelib.contract.options.pdf import PdfOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.core.json import JsonObject
from chalicelib.core.redact_url import without_userinfo
from chalicelib.engine.assets import NO_ASSETS, AssetFiles
from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.output import pictures
from chalicelib.engine.browser.output.accessibility import (
    AccessibilityGap,
    accessibility_gaps,
    link_texts,
)
from chalicelib.engine.browser.output.beyond_window import may_skip_layout, shown_beyond_window
from chalicelib.engine.browser.output.broken_links import broken_link_warnings
from chalicelib.engine.browser.output.clipped_content import (
    PrintedPage,
    clipped_content_warnings,
    page_that_may_clip,
)
from chalicelib.engine.browser.output.continuous_page import continuous_width
from chalicelib.engine.browser.output.fonts import (
    FontReport,
    InstalledFonts,
    font_report,
    late_font_warnings,
)
from chalicelib.engine.browser.output.form_fields import form_field_marks
from chalicelib.engine.browser.output.header_footer import HeaderFooterBatch, print_header_footers
from chalicelib.engine.browser.output.missing_glyphs import glyph_warnings
from chalicelib.engine.browser.output.page_elements import PageElements, page_elements
from chalicelib.engine.browser.output.page_fit import fitted_pages
from chalicelib.engine.browser.output.page_style import (
    PageStyle,
    PageStyleReading,
    css_texts,
    may_be_unread,
    may_have_page_rules,
    unread_sheets,
)
from chalicelib.engine.browser.output.page_texts import PageTexts, heading_texts
from chalicelib.engine.browser.output.pictures import (
    PossibleParts,
    fit_texts,
    hide_broken_images,
    possible_parts,
    replace_missing_parts,
)
from chalicelib.engine.browser.output.placeholders import placeholder_warnings
from chalicelib.engine.browser.output.print_gaps import (
    PRINTED_GAPS,
    PrintedPages,
    gap_warnings,
    orientation_warnings,
    possible_gaps,
    printed_pages,
)
from chalicelib.engine.browser.output.printing import overlap_warnings, print_pdf
from chalicelib.engine.browser.output.sharp_backgrounds import has_patterns, sharp_backgrounds
from chalicelib.engine.browser.output.structure_marks import structure_marks
from chalicelib.engine.browser.page.canvases import webgl_warnings
from chalicelib.engine.browser.page.load_deadline import Load
from chalicelib.engine.browser.page.loading import show_document, visit_url
from chalicelib.engine.browser.page.paper_layout import PaperLayout, may_slice_rows
from chalicelib.engine.browser.page.print_only_layout import is_safe_for
from chalicelib.engine.browser.page.sanitized_html import sanitized_html
from chalicelib.engine.browser.page.scrolling_boxes import ScrollingBoxes, scrolling_of
from chalicelib.engine.browser.page.unready import wait_failure
from chalicelib.engine.browser.page.watch import PageWatch
from chalicelib.engine.browser.proxy.budget import TrafficBudget
from chalicelib.engine.browser.requests.assets import UNREADABLE_PICTURE_REASON, Refusal
from chalicelib.engine.browser.tab.credentials import Credentials
from chalicelib.engine.browser.tab.emulation import Emulation
from chalicelib.engine.browser.tab.origin import can_reveal_origin
from chalicelib.engine.browser.tab.prepared_page import PreparedPage
from chalicelib.engine.browser.tab.tab import Tab
from chalicelib.engine.context import RenderWarning
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.picture_sizes import max_height

if TYPE_CHECKING:
    from chalicelib.engine.browser.output.paged.running_elements import PageOverlay

_MAX_WARNINGS: Final = 50
# A page that asks nobody is shown in a fraction of a second.
_OFFLINE_MS: Final = 5_000
_DOCUMENT_URL: Final = PageFunction[str]("() => Reflect.get(Document.prototype, 'URL', document)")


class OfflineView(NamedTuple):
    """View of a document without scripts and the web.

    `is_inert`: it has no scripts, so its texts are those of a render. `is_whole`: it also requested
    nothing of the web, so all of it is.
    """

    is_inert: bool
    is_whole: bool


class BrowserPage:
    """One document from load to output; every wait ends at the job's deadline at the latest."""

    def __init__(
        self,
        prepared_page: PreparedPage,
        deadline: Deadline,
        traffic: TrafficBudget,
        font_families: Path,
    ) -> None:
        """Take over a prepared page.

        `traffic` is the budget of its requests, `font_families` the JSON file of bundled fonts.
        """
        self._tab = Tab(prepared_page, deadline)
        self._emulation = Emulation(self._tab)
        self._watch = PageWatch(
            prepared_page, traffic, self._tab.crashed, self._emulation.apply_to_frame
        )
        self._scrolling = ScrollingBoxes(self._tab, self._emulation)
        self._font_families = font_families
        self._fonts = FontReport((), ())
        self._output = OutputOptions()
        self._traffic = traffic
        self._html_bytes, self._html = 0, ""
        self._is_from_url = self._is_inert = False
        self._may_slice_rows = self._may_skip_layout = True
        self._may_be_unread = False
        self._may_have_page_rules = True
        self._possible_parts = PossibleParts(elements=True, style_pictures=False)
        self._clipping_page: PrintedPage | None = None
        self._possible_gaps = PRINTED_GAPS
        self._printed_pages: PrintedPages | None = None
        self._style = PageStyle()
        self._style_reading: PageStyleReading | None = None
        self.url = ""
        self._warnings: list[RenderWarning] = []
        self.links: list[tuple[str, str]] = []
        self.accessibility_gaps: list[AccessibilityGap] = []
        self.texts = PageTexts()
        self.overlay: PageOverlay | None = None

    @property
    def warnings(self) -> tuple[RenderWarning, ...]:
        """Return the warnings so far: ignored options, output, emulation, assets, scripts."""
        own = (*self._warnings, *self._scrolling.warnings, *self._emulation.warnings)
        watch = self._watch
        return (*own, *watch.requests.warnings(), *watch.script_failures.warnings())

    @property
    def logs(self) -> tuple[str, ...]:
        """Return the page's console messages and uncaught exceptions."""
        return self._watch.logs()

    @property
    def leaves_nothing(self) -> bool:
        """Tell whether nothing but this page can know of its document (decision 40).

        It came as text, had no scripts and no frames, and requested nothing.
        """
        has_requested = self._watch.requests.count > 0 or self._traffic.has_had_clients
        return self._is_inert and not has_requested

    @property
    def explanation(self) -> JsonObject:
        """Return the contract's Explain."""
        requests = self._watch.requests
        sizes = dict(requests.transfers.bytes_by_kind)
        sizes["html"] = sizes.get("html", 0) + self._html_bytes
        return {
            "fonts": [{"requested": name, "used": font} for name, font in self._fonts.used],
            "missing_glyphs": [glyphs._asdict() for glyphs in self._fonts.missing],
            "bytes": sizes,
            "requests": requests.count,
            "wait": self._tab.waits_for,
            "missing": requests.assets.explanation(),
        }

    def load(
        self,
        html: str,
        output: OutputOptions,
        *,
        needs_screen_layout: bool = False,
        assets: AssetFiles = NO_ASSETS,
    ) -> None:
        """Show an HTML document with its assets and wait as `output.page_wait` says.

        Pass `needs_screen_layout` when boxes are measured before printing (decision 25). Raises
        RenderFailure `wait_timeout`, `navigation_failed`, `render_timeout`, with strict assets
        `asset_fetch_failed` or `url_not_allowed`, and `render_failed` when the viewport is too
        large for a picture.
        """
        self._html, self._html_bytes = html, len(html.encode(errors="replace"))
        reason = "a document that came as text has no origin"
        self._warn_unused(dict.fromkeys(output.http.origin_only_fields, reason))
        self._tab.own_sheets = sheets = unread_sheets(assets)
        self._may_be_unread = bool(sheets) or may_be_unread(html)
        self._may_have_page_rules = bool(assets) or may_have_page_rules(html)
        may_slice = may_slice_rows(html)
        print_only = not needs_screen_layout and is_safe_for(html, output) and not may_slice
        with self._load_phase(output, html, print_only=print_only) as load:
            requests = self._watch.requests
            stays = show_document(
                self._tab, requests, html, load, print_only=print_only, assets=assets
            )
            # What is moved may have style sheets that are not in its text.
            self._may_slice_rows = may_slice or not stays
            self._may_have_page_rules = self._may_have_page_rules or not stays
            self._is_inert = stays and not _brings_scripts(output)
            self._scrolling.expected = scrolling_of(html, is_inert=self._is_inert)
            self._may_skip_layout = may_skip_layout(html)
            self._possible_parts = possible_parts(html, has_scripts=not stays)
            texts = "\n".join((html, *css_texts(assets).values()))
            self._possible_gaps = possible_gaps(texts, has_scripts=not stays)
        if self._is_inert and "pdf" in output.formats and self._reads_style(output.pdf):
            # Nothing changes it any more. The browser reads it while this process goes on.
            self._style_reading = self._begin_style_reading()

    def visit(self, url: str, output: OutputOptions) -> None:
        """Navigate to a URL; raises as `load`, and `url_not_allowed` for a forbidden target."""
        with self._load_phase(output) as load:
            credentials = Credentials(output.http, url)
            visit_url(self._tab, self._watch.requests, credentials, url, load)
            self._warn_unused(credentials.unused_fields)
            self._is_from_url = self._may_be_unread = True

    def pdf(self, options: PdfOptions) -> bytes:
        """Print the document; raises RenderFailure `render_failed` or `render_timeout`."""
        if options.has_pdfua_target:
            self.links, self.accessibility_gaps = (
                link_texts(self._tab),
                accessibility_gaps(self._tab),
            )
        if options.varies_by_page and self._is_from_url:
            # Scripts may have changed the URL since the page was loaded; the footer shows it.
            answer = self._tab.outcome(self._tab.call_function(_DOCUMENT_URL))
            self.url = without_userinfo(answer["result"].get("value") or "")
        headings = heading_texts(self._tab) if options.outline else ()
        elements = page_elements(self._tab) if options.is_fully_tagged else PageElements()
        layout = self._paper_layout(self._output)
        if not self._is_inert:
            layout.enter_paper()
        unsliced = layout.unsliced_boxes() if self._may_slice_rows else nullcontext()
        opened = self._scrolling.opened_for_paper(layout, opens_text_areas=not options.forms)
        typed = structure_marks(self._tab, is_tagged=options.tagged)
        with unsliced, opened, form_field_marks(self._tab, options), typed as structure:
            self._style = self._page_style(options)
            with self._fitted_pages(options):
                content = self._print(options, self._style)
        self.texts = PageTexts(headings, self._tab.head_metadata, structure, elements)
        self._warnings += orientation_warnings(content, options)
        if self._possible_gaps:
            self._printed_pages = printed_pages(content, options, self._style, self._possible_gaps)
        is_rtl = self._tab.has_feature("isRtl")
        self._clipping_page = page_that_may_clip(content, options.scale, is_rtl=is_rtl)
        return content

    def _print(self, options: PdfOptions, style: PageStyle) -> bytes:
        is_continuous = continuous_width(style, options) is not None
        if is_continuous:
            self._emulation.set_print_media()
        content, self.overlay, warnings = print_pdf(self._tab, options, style)
        if has_patterns(content):
            # The sizes of backgrounds are those of the print.
            self._emulation.set_print_media()
            with sharp_backgrounds(self._tab) as has_some:
                if not is_continuous:
                    self._emulation.restore()
                if has_some:
                    content, self.overlay, warnings = print_pdf(self._tab, options, style)
        if is_continuous:
            self._emulation.restore()
        self._warnings += warnings
        if self._output.strict_assets:
            _check_assets(warnings)
        return content

    def _page_style(self, options: PdfOptions) -> PageStyle:
        """Return what the document says of its pages where printing depends on it."""
        if self._style_reading is None and self._reads_style(options):
            self._style_reading = self._begin_style_reading()
        return (
            PageStyle() if self._style_reading is None else self._style_reading.page_style(options)
        )

    def _reads_style(self, options: PdfOptions) -> bool:
        return options.depends_on_page_style or self._may_be_unread or self._may_have_page_rules

    def _begin_style_reading(self) -> PageStyleReading:
        html = self._html if self._may_be_unread else None
        return PageStyleReading(self._tab, self._output.media, html)

    def _fitted_pages(self, options: PdfOptions) -> AbstractContextManager[None]:
        """Return the time in which pages have whole pixels, unless the load has done it."""
        if not self._may_have_page_rules:
            return nullcontext()
        return fitted_pages(self._tab, options, self._style)

    def find_placeholders(self) -> None:
        """Warn of placeholders that are left in a document which is no template."""
        self._warnings += placeholder_warnings(self._tab)

    def find_clipped_content(self) -> None:
        """Warn of content that the print has cut, after all drawings: it changes the layout."""
        if self._clipping_page is None and self._printed_pages is None:
            return
        self._emulation.set_print_media()
        if self._printed_pages is not None:
            self._warnings += gap_warnings(self._tab, self._printed_pages)
        if self._clipping_page is not None:
            self._warnings += clipped_content_warnings(self._tab, self._clipping_page)

    def find_broken_links(self) -> None:
        """Warn of links that lead nowhere in a PDF, after all drawings."""
        if "pdf" in self._output.formats and self._tab.has_feature("hasBrokenLink"):
            self._emulation.set_print_media()
            self._warnings += broken_link_warnings(self._tab)

    def show_offline(
        self,
        html: str,
        output: OutputOptions,
        look_up: Callable[[Iterable[str]], Mapping[str, str]],
        *,
        is_canvas: bool,
        assets: AssetFiles,
    ) -> OfflineView:
        """Show a document without its scripts and the web, and warn of what a render would.

        `look_up` tells why some of the addresses may not be reached. Raises as `load`.
        """
        self._watch.requests.stay_offline()
        self.load(html, _without_scripts(output), needs_screen_layout=is_canvas, assets=assets)
        requests = self._watch.requests
        for url, reason in look_up(requests.unsent).items():
            requests.assets.record_refusal(url, Refusal(reason, is_refused=True))
        if output.strict_assets:
            requests.check_complete()
        if "pdf" in output.formats:
            self._warnings += overlap_warnings(self._tab, output.pdf, self._page_style(output.pdf))
        is_inert = self._is_inert and not _brings_scripts(output)
        return OfflineView(is_inert, is_inert and not requests.unsent)

    def header_footer_pdf(self, batch: HeaderFooterBatch, output: OutputOptions) -> bytes:
        """Print headers and footers alone, on a prepared page that has shown no document.

        Raises RenderFailure `render_failed` or `render_timeout`.
        """
        self._emulation.apply(output)
        return print_header_footers(self._tab, batch, output.pdf)

    def picture(self, output: OutputOptions) -> bytes:
        """Return a PNG of the page; raises RenderFailure `render_failed` or `render_timeout`."""
        self._paper_layout(output).leave_paper()
        image = output.image
        if not image.full_page and image.clip_selector is None:
            return pictures.take_picture(self._tab, output)
        most, is_whole = max_height(output), image.clip_selector is None
        with (
            self._scrolling.opened_for_picture(most) if is_whole else nullcontext(),
            shown_beyond_window(
                self._tab, self._emulation, output, may_skip=self._may_skip_layout
            ) as blank,
        ):
            self._warnings += blank
            return pictures.take_picture(self._tab, output)

    def sanitized_html(self, *, ran_scripts: bool) -> str:
        """Return the document without scripts; raises as its function."""
        return sanitized_html(self._tab, ran_scripts=ran_scripts)

    def replace_missing_parts(self, output: OutputOptions) -> None:
        """Put alternative texts for broken pictures; record parts that failed without a request.

        Raises as `fit_canvas`.
        """
        broken, assets = self._tab.has_feature("hasBrokenImage"), self._watch.requests.assets
        replace_missing_parts(self._tab, assets, self._possible_parts, has_broken_image=broken)
        if output.strict_assets:
            self._watch.requests.check_complete()

    def fit_canvas(self, output: OutputOptions) -> None:
        """Fit the texts of a canvas and hide its broken images (decision 22).

        Raises RenderFailure `render_failed` or `render_timeout`, with strict assets
        `asset_fetch_failed`.
        """
        for layer in fit_texts(self._tab)[:_MAX_WARNINGS]:
            message = f"The text of {layer} has no room in its box; what did not go in is cut off."
            self._warnings.append(RenderWarning("text_overflow", message, layer))
        for source in hide_broken_images(self._tab):
            self._watch.requests.assets.record_missing(source, UNREADABLE_PICTURE_REASON)
        if output.strict_assets:
            self._watch.requests.check_complete()

    def _warn_unused(self, reasons: Mapping[str, str]) -> None:
        for field, reason in reasons.items():
            name = f"output.http.{field}"
            message = f"{name} was ignored: {reason}"
            self._warnings.append(RenderWarning("feature_unavailable", message, name))

    @contextmanager
    def _load_phase(
        self, output: OutputOptions, html: str = "", *, print_only: bool = False
    ) -> Iterator[Load]:
        self._output = output
        layout = self._paper_layout(output)
        load = Load(self._tab, self._watch.requests, output, layout.fit_window)
        self._emulation.apply(output)
        if not print_only:
            layout.set_expected_window(html)
        try:
            yield load
        except TimeoutError as error:
            raise wait_failure(self._tab, self._watch.requests, output.page_wait) from error
        self._emulation.check_applied()
        installed = InstalledFonts.read(self._font_families)
        self._fonts = font_report(self._tab.settle_answer.result(), installed)
        self._warnings += late_font_warnings(self._fonts)
        if self._fonts.missing:
            self._warnings += glyph_warnings(self._tab, self._fonts.missing)
        self._warnings += webgl_warnings(self._tab.refused_canvases)
        if output.strict_assets:
            self._watch.requests.check_complete()

    def _paper_layout(self, output: OutputOptions) -> PaperLayout:
        return PaperLayout(self._tab, self._watch.requests, self._emulation, output)


def _check_assets(warnings: Sequence[RenderWarning]) -> None:
    """Raise RenderFailure `asset_fetch_failed` for an asset that is missing."""
    for warning in warnings:
        if warning.code == "asset_failed":
            message = f"asset_policy is strict, and {warning.detail} was not loaded: "
            raise RenderFailure("asset_fetch_failed", message + warning.message)


def _without_scripts(output: OutputOptions) -> OutputOptions:
    """Return options with which a document is shown without its scripts and conditions."""
    image = replace(output.image, wait=None)
    return replace(output, image=image, wait=Wait(timeout_ms=_OFFLINE_MS), javascript=False)


def _brings_scripts(output: OutputOptions) -> bool:
    """Tell whether the options may run scripts in a document."""
    pdf = output.pdf
    parts = (pdf.header, pdf.footer, pdf.first_header, pdf.first_footer, pdf.last_footer)
    return output.page_wait.expression is not None or any(
        part is not None and can_reveal_origin(part.html or "") for part in parts
    )
