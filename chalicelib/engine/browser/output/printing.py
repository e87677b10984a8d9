"""How a page is printed: the browser's own parameters, header and footer among them."""

from collections.abc import Iterator
from typing import Any, Final

from pybase64 import b64decode

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.chromium.pipe import Answer, CallRefused
from chalicelib.engine.browser.output.header_footer import FRAME_CSS, template, templates
from chalicelib.engine.browser.page.nodes import NodeCount
from chalicelib.engine.browser.page.tab import Tab
from chalicelib.engine.job import RenderWarning
from chalicelib.engine.options.pdf import HeaderFooter, PdfOptions


def print_pdf(tab: Tab, options: PdfOptions) -> tuple[bytes, list[RenderWarning]]:
    """Print the page's document, with its bands unless they are put on afterwards.

    What is put on needs to know all pages: then `page_ranges` is left for afterwards as well.
    Raises RenderFailure `render_failed` or `render_timeout`.
    """
    NodeCount(tab).check_limit()
    answer = tab.send("Page.printToPDF", **_print_parameters(options))
    # Printing may run scripts of the page.
    after = NodeCount(tab)
    # The browser measures while what it has printed is read.
    measured = measure_heights(tab, options)
    try:
        content = b64decode(tab.outcome(answer)["data"])
    except RenderFailure as failure:
        if "Page range exceeds" in failure.detail:
            message = (
                f"output.pdf.page_ranges ({options.page_ranges}) names a page that is not there"
            )
            raise RenderFailure("render_failed", message) from failure
        if "Printing failed" not in failure.detail or measured is None:
            raise
        message = (
            "the pages could not be printed with this header or footer: they load nothing "
            "from outside, so styles and fonts must stand in them (data: URIs)"
        )
        raise RenderFailure("render_failed", message) from failure
    after.check_limit()
    return content, [] if measured is None else overlap_warnings(tab, options, measured)


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
        "preferCSSPageSize": options.prefer_css_page_size,
        "generateTaggedPDF": options.tagged,
        "generateDocumentOutline": options.outline,
    }
    if options.varies_by_page:
        return parameters
    parameters["pageRanges"] = options.page_ranges
    if options.header_footer.header is not None or options.header_footer.footer is not None:
        header, footer = templates(options.header_footer, options)
        parameters["displayHeaderFooter"] = True
        parameters["headerTemplate"] = header
        parameters["footerTemplate"] = footer
    return parameters


_PIXELS_PER_INCH: Final = 96
_MM_PER_PIXEL: Final = 25.4 / _PIXELS_PER_INCH
_TIMEOUT_S: Final = 1.0
# Less than this is no overlap that anybody sees.
_TOLERANCE_PIXELS: Final = 0.5
_MAX_CACHED: Final = 100
type _CacheKey = tuple[float, tuple[str, ...]]
# In pixels, by the paper's width and what the bands are.
_HEIGHT_CACHE: Final[dict[_CacheKey, list[float]]] = {}
_CSS: Final = FRAME_CSS + "section { font: 8pt sans-serif } #footer { align-items: flex-start }"
# Each band is laid out unseen and apart from the page's styles; nothing from outside is loaded.
# The document's own `@page` margins win over those of the request.
_MEASURE_HEIGHTS: Final = """async (bands, css, width) => {
  const own = (name) => Reflect.get(Document.prototype, name, document);
  const create = (name) => Document.prototype.createElement.call(document, name);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  const host = create('div');
  host.style.cssText = `all:initial;position:fixed;visibility:hidden;left:0;top:0;width:${width}px`;
  const root = host.attachShadow({mode: 'closed'});
  root.adoptedStyleSheets = [sheet];
  const parser = new DOMParser();
  const laidOut = (side, html) => {
    const parsed = parser.parseFromString(html.replace(/https?:/gi, 'about:'), 'text/html');
    parsed.querySelectorAll('link, script, meta, base, iframe, object, embed, source, video, audio')
      .forEach((element) => element.remove());
    for (const image of parsed.querySelectorAll('img')) {
      image.removeAttribute('srcset');
      if (!/^data:/i.test(image.getAttribute('src') ?? '')) image.removeAttribute('src');
    }
    for (const mark of parsed.querySelectorAll('.pageNumber, .totalPages, .title, .date')) {
      mark.textContent = '0';
    }
    const box = create('div');
    box.id = side;
    box.append(...parsed.head.childNodes, ...parsed.body.childNodes);
    const section = create('section');
    section.append(box);
    root.append(section);
    return box;
  };
  const margins = {};
  const look = (rules) => {
    for (const rule of rules) {
      if (rule instanceof CSSPageRule && !rule.selectorText) {
        margins.header = rule.style.marginTop || margins.header;
        margins.footer = rule.style.marginBottom || margins.footer;
      } else if (rule instanceof CSSLayerBlockRule ||
          (rule instanceof CSSMediaRule && /print|all/.test(rule.conditionText))) {
        look(rule.cssRules);
      }
    }
  };
  const pixels = (length) => {
    if (!length) return null;
    const probe = create('div');
    probe.style.height = length;
    root.append(probe);
    return probe.getBoundingClientRect().height;
  };
  Element.prototype.append.call(own('documentElement'), host);
  try {
    for (const rules of own('styleSheets')) {
      try { look(rules.cssRules); } catch { continue; }
    }
    const heights = [];
    for (const {side, html} of bands) {
      const box = laidOut(side, html);
      await Promise.all([...box.querySelectorAll('img[src]')].map(
        (image) => image.decode().catch(() => null)));
      const style = getComputedStyle(box);
      const padding = parseFloat(style.paddingTop) + parseFloat(style.paddingBottom);
      const height = Math.max(box.getBoundingClientRect().height, box.scrollHeight);
      heights.push(height > padding ? height : 0);
      box.parentNode.remove();
    }
    return {heights, margins: {header: pixels(margins.header), footer: pixels(margins.footer)}};
  } finally {
    host.remove();
  }
}"""


def measure_heights(tab: Tab, options: PdfOptions) -> Answer | None:
    """Ask for the bands' heights; None where there are no bands."""
    bands = [
        {"side": side, "html": template(band, side, options)}
        for _, side, band in _headers_and_footers(options)
    ]
    if not bands:
        return None
    width = options.height if options.landscape else options.width
    # The same bands stand on many documents; only the margins are each document's own.
    unknown = [] if _cache_key(options) in _HEIGHT_CACHE else bands
    return tab.call_function(_MEASURE_HEIGHTS, unknown, _CSS, width * _PIXELS_PER_INCH)


def overlap_warnings(tab: Tab, options: PdfOptions, heights_answer: Answer) -> list[RenderWarning]:
    """Return a warning for each band that is taller than its margin."""
    try:
        found = tab.wait_for(heights_answer, tab.deadline.within(_TIMEOUT_S))["result"].get("value")
    except (CallRefused, TimeoutError):
        # The pages are printed: what could only have been a warning does not fail them.
        return []
    if found is None:
        return []
    heights = found["heights"] or _HEIGHT_CACHE.get(_cache_key(options), [])
    _cache_heights(options, heights)
    margins = {
        "header": options.margin.top * _PIXELS_PER_INCH,
        "footer": options.margin.bottom * _PIXELS_PER_INCH,
        **{side: margin for side, margin in found["margins"].items() if margin is not None},
    }
    return [
        _overlap_warning(field, side, height, margins[side])
        for (field, side, _), height in zip(_headers_and_footers(options), heights, strict=True)
        if height > margins[side] + _TOLERANCE_PIXELS
    ]


def _cache_key(options: PdfOptions) -> _CacheKey:
    width = options.height if options.landscape else options.width
    return width, tuple(
        template(band, side, options) for _, side, band in _headers_and_footers(options)
    )


def _cache_heights(options: PdfOptions, heights: list[float]) -> None:
    if len(_HEIGHT_CACHE) >= _MAX_CACHED:
        _HEIGHT_CACHE.clear()
    _HEIGHT_CACHE[_cache_key(options)] = heights


def _overlap_warning(field: str, side: str, height: float, margin: float) -> RenderWarning:
    edge = "top" if side == "header" else "bottom"
    message = (
        f"output.pdf.{field} is {height * _MM_PER_PIXEL:.1f} mm tall, the {edge} margin only "
        f"{margin * _MM_PER_PIXEL:.1f} mm. Make output.pdf.margin.{edge} larger, or the document's "
        "own @page margin."
    )
    return RenderWarning("header_footer_overlap", message, f"/output/pdf/{field}")


def _headers_and_footers(options: PdfOptions) -> Iterator[tuple[str, str, HeaderFooter]]:
    """Yield each band once, with the name of its field and its side."""
    kinds = (
        ("", options.header_footer),
        ("first_", options.first_page),
        ("last_", options.last_page),
    )
    seen: set[tuple[str, Any]] = set()
    for prefix, bands in kinds:
        for side, band in (("header", bands.header), ("footer", bands.footer)):
            if band is not None and (side, band) not in seen:
                seen.add((side, band))
                yield f"{prefix}{side}", side, band
