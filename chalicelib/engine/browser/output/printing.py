"""How a page is printed: the browser's own parameters, header and footer among them."""

from typing import Any

from pybase64 import b64decode

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.output.header_footer import templates
from chalicelib.engine.browser.output.overlap import measure_heights, overlap_warnings
from chalicelib.engine.browser.page.nodes import NodeCount
from chalicelib.engine.browser.page.tab import Tab
from chalicelib.engine.job import RenderWarning
from chalicelib.engine.options.pdf import PdfOptions


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
