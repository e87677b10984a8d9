"""Pictures of the examples: `make gallery`.

Each example is rendered through the public API, and its pages become pictures through the PDF tool
`to-images`. A page lists them with the warnings. `sheet.png` is the picture in README.md, and
`images` has one of each first page for the guides.
"""

import base64
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from markupsafe import Markup
from PIL import Image

from infra.local.examples import create_render, fetch_file, render_example, template_body

# The rows of the sheet. All documents of a row are as high as each other.
ROWS: Final = (
    ("invoice", "quarterly-report", "catalogue", "contract"),
    ("credit-note", "statement", "payslip", "letter"),
    ("certificate", "event-ticket", "shipping-label", "social-card"),
)
_DPI: Final = 144
_PAGE_WIDTH: Final = 360
_GAP: Final = 40
SHEET_WIDTH: Final = 4 * _PAGE_WIDTH + 5 * _GAP
_SMALL: Final = (480, 509)
_COLOURS: Final = 256
_SHEET: Final = Markup(
    "<!doctype html><html lang=en><meta charset=utf-8><title>Platen gallery</title><style>"
    "body {{ margin: 0; padding: {gap}px {gap}px 8px; background: #f6f5f2; color: #22252a;"
    " font: 17px/1.3 Inter }}"
    ".row {{ display: flex; gap: {gap}px; margin-bottom: 28px }}"
    "figure {{ margin: 0 }}"
    "img {{ display: block; box-shadow: 0 0 0 1px #dcdad4 }}"
    "figcaption {{ margin-top: 12px }}"
    "</style>{rows}"
)
_ROW: Final = Markup("<div class=row>{figures}</div>")
_FIGURE: Final = Markup(
    '<figure><img alt="" src="{source}"><figcaption>{title}</figcaption></figure>'
)
_INDEX: Final = Markup(
    "<!doctype html><html lang=en><meta charset=utf-8><title>Platen gallery</title><style>"
    "body {{ font: 15px/1.5 system-ui, sans-serif; margin: 40px; background: #f6f5f2 }}"
    "h2 {{ font-size: 18px; margin: 40px 0 12px }} p {{ color: #9b2226 }} a {{ color: inherit }}"
    "div {{ display: flex; gap: 20px; overflow-x: auto; padding: 2px }}"
    "img {{ height: 509px; background: #fff; outline: 1px solid #dcdad4 }}"
    "</style><h1>Examples</h1>{sections}"
)
_SECTION: Final = Markup(
    '<section><h2><a href="{file}">{title}</a></h2><div>{pictures}</div>{warnings}</section>'
)
_PICTURE: Final = Markup('<img alt="{alt}" src="{source}">')
_WARNING: Final = Markup("<p>{code}: {message}</p>")


class GalleryDocument(NamedTuple):
    """One rendered example: its file, a PNG of each page, and the warnings of the render."""

    name: str
    title: str
    format: str
    content: bytes
    pages: tuple[bytes, ...]
    warnings: tuple[Mapping[str, str], ...]

    @property
    def filename(self) -> str:
        """The name of its file."""
        return f"{self.name}.{self.format}"

    def picture_names(self) -> list[str]:
        """Return the names of the files of its pages."""
        return [f"{self.name}-{number}.png" for number in range(1, len(self.pages) + 1)]


def render_gallery(run_info: Mapping[str, Any], out: Path) -> Iterator[str]:
    """Render the gallery into a folder; yield a line for each document, and for the index."""
    (out / "images").mkdir(parents=True, exist_ok=True)
    documents = {}
    for name in (name for row in ROWS for name in row):
        document = documents[name] = _render(run_info, name)
        (out / document.filename).write_bytes(document.content)
        for picture, page in zip(document.picture_names(), document.pages, strict=True):
            (out / picture).write_bytes(page)
        (out / "images" / f"{name}.png").write_bytes(_small(document.pages[0]))
        codes = ", ".join(warning["code"] for warning in document.warnings)
        size = f"{len(document.pages)} pages, {len(document.content)} bytes"
        yield f"{name}: {size}  {codes}".rstrip()
    (out / "index.html").write_text(_index(documents), encoding="utf-8")
    (out / "sheet.png").write_bytes(_sheet(run_info, documents))
    yield str(out / "index.html")


def _render(run_info: Mapping[str, Any], name: str) -> GalleryDocument:
    render = render_example(run_info, name)
    file = render["files"][-1]
    content = fetch_file(file["url"])
    pages: tuple[bytes, ...] = (content,)
    if file["format"] == "pdf":
        body = {"source": {"file_id": file["id"]}, "dpi": _DPI}
        pictures = create_render(run_info, body, "/pdf-tools/to-images")["files"]
        pages = tuple(fetch_file(picture["url"]) for picture in pictures)
    title = template_body(name)["name"]
    return GalleryDocument(name, title, file["format"], content, pages, tuple(render["warnings"]))


def _index(documents: Mapping[str, GalleryDocument]) -> str:
    return _INDEX.format(sections=Markup().join(map(_section, documents.values())))


def _section(document: GalleryDocument) -> Markup:
    pictures = [
        _PICTURE.format(alt=f"{document.title}, page {number}", source=source)
        for number, source in enumerate(document.picture_names(), 1)
    ]
    return _SECTION.format(
        file=document.filename,
        title=document.title,
        pictures=Markup().join(pictures),
        warnings=Markup().join(_WARNING.format_map(warning) for warning in document.warnings),
    )


def _sheet(run_info: Mapping[str, Any], documents: Mapping[str, GalleryDocument]) -> bytes:
    """Return a PNG of the first pages, which the service itself renders."""
    rows = [_row([documents[name] for name in row]) for row in ROWS]
    html = _SHEET.format(gap=_GAP, rows=Markup().join(rows))
    image = {"full_page": True, "viewport": {"width": SHEET_WIDTH, "height": 900}}
    output = {"format": "png", "image": image}
    render = create_render(run_info, {"input": {"type": "html", "html": html}, "output": output})
    return fetch_file(render["files"][0]["url"])


def _row(documents: Sequence[GalleryDocument]) -> Markup:
    """Return documents side by side, all as high as makes the row as wide as the sheet."""
    pages = [Image.open(io.BytesIO(document.pages[0])).convert("RGBA") for document in documents]
    width = SHEET_WIDTH - (len(pages) + 1) * _GAP
    height = width / sum(page.width / page.height for page in pages)
    figures = [
        _FIGURE.format(source=_data_url(page, height), title=document.title)
        for document, page in zip(documents, pages, strict=True)
    ]
    return _ROW.format(figures=Markup().join(figures))


def _data_url(page: Image.Image, height: float) -> str:
    size = (round(page.width * height / page.height), round(height))
    target = io.BytesIO()
    page.resize(size, Image.Resampling.LANCZOS).save(target, "PNG")
    return f"data:image/png;base64,{base64.b64encode(target.getvalue()).decode()}"


def _small(page: bytes) -> bytes:
    """Return a page for the guides, with a palette of its own."""
    image = Image.open(io.BytesIO(page)).convert("RGB")
    image.thumbnail(_SMALL)
    target = io.BytesIO()
    image.quantize(_COLOURS).save(target, "PNG", optimize=True)
    return target.getvalue()
