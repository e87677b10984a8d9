"""PDFs for tools that change content, and readings of what they make."""

import io
import warnings
from collections.abc import Sequence
from typing import Any

import pikepdf
import pypdfium2
from pikepdf import Array, Dictionary, Name
from PIL import Image

from chalicelib.contract.options.pdf_tools import ToolOptions
from chalicelib.engine.pdf.document.source import UnopenedPdf
from chalicelib.engine.pdf_tools import tool_by_name
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput

HELVETICA = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)


def saved(document: pikepdf.Pdf, **options: Any) -> bytes:
    """Return a document as bytes."""
    target = io.BytesIO()
    with warnings.catch_warnings():
        # Widgets that no field names are what some tests are about.
        warnings.simplefilter("ignore")
        document.save(target, **{"deterministic_id": "encryption" not in options, **options})
    return target.getvalue()


def opened(content: bytes, password: str = "") -> pikepdf.Pdf:
    """Open bytes."""
    return pikepdf.open(io.BytesIO(content), password=password)


def blank(*sizes: tuple[float, float], content: bytes = b"") -> pikepdf.Pdf:
    """Return a document with pages of these sizes, all with the same content."""
    document = pikepdf.new()
    for size in sizes or [(200.0, 300.0)]:
        page = document.add_blank_page(page_size=size)
        page.Contents = document.make_stream(content)
        page.Resources = Dictionary(Font=Dictionary(F1=HELVETICA))
    return document


def colored(size: tuple[float, float], rgb: str = "1 0 0") -> bytes:
    """Return a document of one page that is filled with a colour."""
    return saved(blank(size, content=f"{rgb} rg 0 0 {size[0]} {size[1]} re f".encode()))


def tool_run(
    options: ToolOptions, source: bytes | pikepdf.Pdf, password: str | None = None, **fields: Any
) -> tuple[ToolOutput, ToolInput[Any]]:
    """Run a tool on one source."""
    content = source if isinstance(source, bytes) else saved(source)
    tool_input = ToolInput(options, [UnopenedPdf(content, password, "/source")], **fields)
    return tool_by_name(options.tool).load()(tool_input), tool_input


def run_tool(
    options: ToolOptions, source: bytes | pikepdf.Pdf, password: str | None = None, **fields: Any
) -> bytes:
    """Return the only file of a tool."""
    output, _ = tool_run(options, source, password, **fields)
    (file,) = output.files
    return file.content


def picture(content: bytes, page: int = 0, scale: float = 1, password: str = "") -> Image.Image:
    """Return a page as pdfium shows it, with its annotations and form fields."""
    document = pypdfium2.PdfDocument(content, password=password or None)
    document.init_forms()
    image: Image.Image = document[page].render(scale=scale).to_pil().convert("RGB")
    document.close()
    return image


def ink_box(image: Image.Image, threshold: int = 245) -> tuple[int, int, int, int]:
    """Return the box of all pixels that are not white."""
    box = image.convert("L").point(lambda level: 255 if level < threshold else 0).getbbox()
    assert box is not None, "nothing is drawn"
    return box


def rect(*edges: float) -> Array:
    """Return a rectangle."""
    return Array(edges)


def texts(content: bytes) -> Sequence[str]:
    """Return the texts of the pages, as pdfium reads them."""
    document = pypdfium2.PdfDocument(content)
    found = [page.get_textpage().get_text_bounded() for page in document]
    document.close()
    return found
