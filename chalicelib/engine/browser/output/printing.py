"""PDF printing of a page through Page.printToPDF, with a check for headers that overlap."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import nullcontext
from copy import replace
from typing import Final

from pybase64 import b64decode

from chalicelib.contract.options.pdf import HeaderFooter, PdfOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.core.json import Json
from chalicelib.core.text import number_with_noun
from chalicelib.engine.browser.chromium.pipe import CallRefusedError
from chalicelib.engine.browser.chromium.protocol import FunctionResult, PageFunction
from chalicelib.engine.browser.output.continuous_page import continuous_width, print_continuous
from chalicelib.engine.browser.output.header_footer import FRAME_CSS, template, templates
from chalicelib.engine.browser.output.page_style import PageStyle, adopted_style
from chalicelib.engine.browser.output.paged.print_paged import (
    PagedPrint,
    draws_paged_css,
    print_paged,
)
from chalicelib.engine.browser.output.paged.rules import MAX_WARNINGS
from chalicelib.engine.browser.output.paged.unavailable import unavailable_warnings
from chalicelib.engine.browser.output.target_counters import print_with_target_counters
from chalicelib.engine.browser.requests.assets import UNREADABLE_PICTURE_REASON, recorded_url
from chalicelib.engine.browser.tab.animations import await_print, wait_in_slices
from chalicelib.engine.browser.tab.nodes import NodeCount
from chalicelib.engine.browser.tab.tab import Tab
from chalicelib.engine.context import RenderWarning
from chalicelib.engine.pdf.text.chromium_pdf import page_count
from chalicelib.engine.pdf.text.cross_reference_table import cross_reference_table

_PIXELS_PER_INCH: Final = 96
_MM_PER_PIXEL: Final = 25.4 / _PIXELS_PER_INCH
_TIMEOUT_S: Final = 5.0
# A smaller overlap is not visible.
_TOLERANCE_PIXELS: Final = 0.5
_MAX_CACHED: Final = 100
type _CacheKey = tuple[float, tuple[bytes, ...]]
# Height in CSS pixels, and the pictures that cannot be shown.
type _Measured = tuple[float, list[str]]
# By paper width and digests of templates, which may hold large pictures.
_HEIGHT_CACHE: Final[dict[_CacheKey, list[_Measured]]] = {}
# Without it the browser takes the orientation of the document's own `@page` size.
_NO_PAGE_SIZE: Final = "@page { size: auto !important }"
_CSS: Final = FRAME_CSS + "section { font: 8pt sans-serif } #footer { align-items: flex-start }"


# Each template is laid out hidden in a closed shadow root, apart from the page's styles; external
# resources are removed first.
_MEASURE_HEIGHTS: Final = PageFunction[list[_Measured] | None](
    r"""async (templates, css, width) => {
  const own = (name) => Reflect.get(Document.prototype, name, document);
  const create = (name) => Document.prototype.createElement.call(document, name);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  const host = create('div');
  host.style.cssText = `all:initial;position:fixed;visibility:hidden;left:0;top:0;width:${width}px`;
  const root = host.attachShadow({mode: 'closed'});
  root.adoptedStyleSheets = [sheet];
  const parser = new DOMParser();
  const layOut = (side, html) => {
    const parsed = parser.parseFromString(html.replace(/https?:/gi, 'about:'), 'text/html');
    parsed.querySelectorAll('link, script, meta, base, iframe, object, embed, source, video, audio')
      .forEach((element) => element.remove());
    for (const image of parsed.querySelectorAll('img')) {
      image.removeAttribute('srcset');
      if (!/^data:/i.test(image.getAttribute('src') ?? '')) image.removeAttribute('src');
    }
    for (const target of parsed.querySelectorAll('.pageNumber, .totalPages, .title, .date')) {
      target.textContent = '0';
    }
    const box = create('div');
    box.id = side;
    box.append(...parsed.head.childNodes, ...parsed.body.childNodes);
    const section = create('section');
    section.append(box);
    root.append(section);
    return box;
  };
  const brokenPictures = async (html) => {
    if (!/data:/i.test(html)) return [];
    const parsed = parser.parseFromString(html, 'text/html');
    const texts = [...parsed.querySelectorAll('img, image')].map((element) => (
      element.getAttribute('src') ?? element.getAttribute('href') ?? '').trim());
    const named = html.matchAll(
      /url\(\s*(?:"(data:image[^"]*)"|'(data:image[^']*)'|(data:image[^"')\s]*))/gi);
    const sources = new Set([...texts, ...[...named].map(([, a, b, c]) => a ?? b ?? c)]
      .filter((text) => /^data:/i.test(text)));
    const broken = await Promise.all([...sources].slice(0, 100).map(async (source) => {
      const picture = new Image();
      picture.src = source;
      return picture.decode().then(() => '', () => source.slice(0, 600));
    }));
    return broken.filter(Boolean);
  };
  Element.prototype.append.call(own('documentElement'), host);
  try {
    const heights = [];
    for (const {side, html} of templates) {
      const box = layOut(side, html);
      await Promise.all([...box.querySelectorAll('img[src]')].map(
        (image) => image.decode().catch(() => null)));
      const style = getComputedStyle(box);
      const padding = parseFloat(style.paddingTop) + parseFloat(style.paddingBottom);
      const height = Math.max(box.getBoundingClientRect().height, box.scrollHeight);
      heights.push([height > padding ? height : 0, await brokenPictures(html)]);
      box.parentNode.remove();
    }
    return heights;
  } finally {
    host.remove();
  }
}"""
)
type _HeightsAnswer = Future[FunctionResult[list[_Measured] | None]]


def print_pdf(tab: Tab, options: PdfOptions, style: PageStyle) -> PagedPrint:
    """Print the page's document; warnings are about headers, footers and style rules.

    `style` matters for continuous pages, target counters, small pages, and headers and footers.
    Headers and footers that vary by page are overlaid later. The overlay needs all pages, so
    then `page_ranges` is left out here too. Raises RenderFailure `render_failed`, `render_timeout`
    or `page_limit_exceeded`.
    """
    NodeCount(tab).check_limit()
    warnings: list[RenderWarning] = []

    def print_once(sized: PdfOptions) -> bytes:
        content, warnings[:] = _print_once(tab, style.with_room(sized), style)
        return content

    width = continuous_width(style, options)

    def print_pages(sized: PdfOptions) -> bytes:
        if width is None:
            return print_once(sized)
        return print_continuous(tab, sized, style, width, print_once)

    ignores_size = width is None and not options.prefer_css_page_size
    with adopted_style(tab, _NO_PAGE_SIZE) if ignores_size else nullcontext():
        if draws_paged_css(style.paged_rules):
            printed = print_paged(tab, options, style, print_pages)
        elif style.counter_rules:
            content = print_with_target_counters(tab, options, style, print_pages)
            printed = PagedPrint(content, None, [])
        else:
            printed = PagedPrint(print_pages(options), None, [])
    warnings += printed.warnings
    if style.paged_rules:
        warnings += unavailable_warnings(tab, style.paged_rules)
    return printed._replace(warnings=_twenty_of_each_code([*warnings, *style.warnings]))


def _twenty_of_each_code(warnings: Sequence[RenderWarning]) -> list[RenderWarning]:
    """Return warnings, at most 20 of a code."""
    counts: Counter[str] = Counter()
    kept = []
    for warning in dict.fromkeys(warnings):
        counts[warning.code] += 1
        if counts[warning.code] <= MAX_WARNINGS:
            kept.append(warning)
    return kept


def _count_pages(tab: Tab, options: PdfOptions) -> int:
    """Return how many pages a document has without its ranges, which it is printed for again."""
    answer = tab.send("Page.printToPDF", **_print_parameters(replace(options, page_ranges=None)))
    content = b64decode(await_print(tab, answer)["data"])
    return page_count(content, cross_reference_table(content))


def overlap_warnings(tab: Tab, options: PdfOptions, style: PageStyle) -> list[RenderWarning]:
    """Return the warnings of `print_pdf` about headers and footers, without a print."""
    options = style.with_room(options)
    heights_answer = measure_heights(tab, options)
    if heights_answer is None:
        return []
    return header_footer_warnings(tab, options, style, heights_answer)


def _print_once(
    tab: Tab, options: PdfOptions, style: PageStyle
) -> tuple[bytes, list[RenderWarning]]:
    answer = tab.send("Page.printToPDF", **_print_parameters(options))
    # Printing may run scripts of the page, so nodes are counted again.
    nodes_after = NodeCount(tab)
    # Sent before the answer is read: the browser measures while the PDF is transferred.
    heights_answer = measure_heights(tab, options)
    try:
        content = b64decode(await_print(tab, answer)["data"])
    except RenderFailure as failure:
        if "Page range exceeds" in failure.detail:
            count = number_with_noun(_count_pages(tab, options), "page")
            message = (
                f"output.pdf.page_ranges ({options.page_ranges}) names a page that is not there: "
                f"the document has {count}"
            )
            raise RenderFailure("render_failed", message) from failure
        if "Printing failed" not in failure.detail or heights_answer is None:
            raise
        message = (
            "the pages could not be printed with this header or footer: they load nothing "
            "from outside, so styles and fonts must stand in them (data: URIs)"
        )
        raise RenderFailure("render_failed", message) from failure
    nodes_after.check_limit()
    if heights_answer is None:
        return content, []
    return content, header_footer_warnings(tab, options, style, heights_answer)


def measure_heights(tab: Tab, options: PdfOptions) -> _HeightsAnswer | None:
    """Start measuring the headers and footers; None where there are none."""
    measured = [
        {"side": side, "html": template(header_footer, side, options)}
        for _, side, header_footer in _headers_and_footers(options)
    ]
    if not measured:
        return None
    width = options.paper_size[options.landscape]
    # Many documents share their headers and footers, so heights are cached.
    uncached = [] if _cache_key(options) in _HEIGHT_CACHE else measured
    return tab.call_function(_MEASURE_HEIGHTS, uncached, _CSS, width * _PIXELS_PER_INCH)


def header_footer_warnings(
    tab: Tab, options: PdfOptions, style: PageStyle, heights_answer: _HeightsAnswer
) -> list[RenderWarning]:
    """Return a warning for each header or footer that is taller than its margin.

    Another one for each of their pictures that cannot be shown.
    """
    try:
        answer = wait_in_slices(tab, heights_answer, tab.deadline.within(_TIMEOUT_S))
    except (CallRefusedError, TimeoutError):
        # The document is printed already; a missing warning must not fail it.
        return []
    measured = answer["result"].get("value")
    if measured is None:
        return []
    measured = measured or _HEIGHT_CACHE.get(_cache_key(options), [])
    _cache_heights(options, measured)
    margin = style.page_margin(options)
    margins = {"header": margin.top * _PIXELS_PER_INCH, "footer": margin.bottom * _PIXELS_PER_INCH}
    warnings: dict[str, RenderWarning] = {}
    for (field, side, _), (height, broken) in zip(
        _headers_and_footers(options), measured, strict=True
    ):
        if height > margins[side] + _TOLERANCE_PIXELS:
            warnings[field] = _overlap_warning(field, side, height, margins[side])
        for source in broken:
            warnings.setdefault(source, _broken_warning(field, source))
    return [*warnings.values()]


def _print_parameters(options: PdfOptions) -> dict[str, Json]:
    (width, height), margin = options.paper_size, options.margin.inches
    parameters: dict[str, Json] = {
        "landscape": options.landscape,
        "printBackground": options.print_background,
        "scale": options.scale,
        "paperWidth": width,
        "paperHeight": height,
        "marginTop": margin.top,
        "marginRight": margin.right,
        "marginBottom": margin.bottom,
        "marginLeft": margin.left,
        "preferCSSPageSize": options.prefer_css_page_size,
        # The browser makes the outline of the tags (finishing/untagged_outline.py).
        "generateTaggedPDF": options.tagged or options.outline,
        "generateDocumentOutline": options.outline,
    }
    if options.varies_by_page:
        return parameters
    parameters["pageRanges"] = options.page_ranges or ""
    if options.header_footer.header is not None or options.header_footer.footer is not None:
        header, footer = templates(options.header_footer, options)
        parameters["displayHeaderFooter"] = True
        parameters["headerTemplate"] = header
        parameters["footerTemplate"] = footer
    return parameters


def _cache_key(options: PdfOptions) -> _CacheKey:
    width = options.paper_size[options.landscape]
    return width, tuple(
        hashlib.sha256(template(header_footer, side, options).encode(errors="replace")).digest()
        for _, side, header_footer in _headers_and_footers(options)
    )


def _cache_heights(options: PdfOptions, measured: list[_Measured]) -> None:
    if len(_HEIGHT_CACHE) >= _MAX_CACHED:
        _HEIGHT_CACHE.clear()
    _HEIGHT_CACHE[_cache_key(options)] = measured


def _overlap_warning(field: str, side: str, height: float, margin: float) -> RenderWarning:
    edge = "top" if side == "header" else "bottom"
    message = (
        f"output.pdf.{field} is {height * _MM_PER_PIXEL:.1f} mm tall, the {edge} margin only "
        f"{margin * _MM_PER_PIXEL:.1f} mm. Make output.pdf.margin.{edge} larger, or the document's "
        "own @page margin."
    )
    return RenderWarning("header_footer_overlap", message, f"/output/pdf/{field}")


def _broken_warning(field: str, source: str) -> RenderWarning:
    message = f"A part of output.pdf.{field} is absent: {UNREADABLE_PICTURE_REASON}."
    return RenderWarning("asset_failed", message, recorded_url(source))


def _headers_and_footers(options: PdfOptions) -> Iterator[tuple[str, str, HeaderFooter]]:
    """Yield each header and footer once, as field name, side and options."""
    kinds = (
        ("", options.header_footer),
        ("first_", options.first_page),
        ("last_", options.last_page),
    )
    seen: set[tuple[str, HeaderFooter]] = set()
    for prefix, pair in kinds:
        for side, header_footer in (("header", pair.header), ("footer", pair.footer)):
            if header_footer is not None and (side, header_footer) not in seen:
                seen.add((side, header_footer))
                yield f"{prefix}{side}", side, header_footer
