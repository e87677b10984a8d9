"""How a page is printed: the browser's own parameters, header and footer among them."""

from typing import Any

from pybase64 import b64decode

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.bands import templates
from chalicelib.engine.browser.nodes import Count
from chalicelib.engine.browser.overlap import measure, overlaps
from chalicelib.engine.browser.tab import Tab
from chalicelib.engine.job import RenderWarning
from chalicelib.engine.options.pdf import PdfOptions


def printed(tab: Tab, options: PdfOptions) -> tuple[bytes, list[RenderWarning]]:
    """Print the page's document, with its bands unless they are put on afterwards.

    What is put on needs to know all pages: then `page_ranges` is left for afterwards as well.
    Raises RenderFailure `render_failed` or `render_timeout`.
    """
    Count(tab).insist()
    answer = tab.send("Page.printToPDF", **_parameters(options))
    # Printing may run scripts of the page.
    after = Count(tab)
    # The browser measures while what it has printed is read.
    measured = measure(tab, options)
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
    after.insist()
    return content, [] if measured is None else overlaps(tab, options, measured)


def _parameters(options: PdfOptions) -> dict[str, Any]:
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
    if options.stamped:
        return parameters
    parameters["pageRanges"] = options.page_ranges
    if options.bands.header is not None or options.bands.footer is not None:
        header, footer = templates(options.bands, options)
        parameters["displayHeaderFooter"] = True
        parameters["headerTemplate"] = header
        parameters["footerTemplate"] = footer
    return parameters
