"""Contact sheet of documents that resemble those people send: `make gallery`.

Each document of `examples/gallery` is rendered through the public API, its pages become pictures
through the PDF tool `to-images`, and a page lists them with the warnings.
"""

import base64
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from markupsafe import Markup

from infra.local.examples import create_render, fetch_file
from infra.template import ROOT

GALLERY_DIR: Final = ROOT / "examples" / "gallery"
_DPI: Final = 72
_SHEET_WIDTH: Final = 1400
# Pages of one document on the contact sheet; the index has all.
_MAX_SHEET_PAGES: Final = 2
_PAGE: Final = Markup(
    "<!doctype html><html lang=en><meta charset=utf-8><title>Platen gallery</title><style>"
    "body {{ font: 14px/1.4 system-ui, sans-serif; margin: 24px; background: #eceff3 }}"
    "section {{ display: inline-block; vertical-align: top; margin: 0 18px 22px 0 }}"
    "h2 {{ font-size: 15px; margin: 0 0 6px }} p {{ color: #9b2226; margin: 4px 0 }}"
    "img {{ height: {height}px; margin-right: 6px; background: #fff; border: 1px solid #c3cad4 }}"
    "</style>{sections}"
)
_SECTION: Final = Markup("<section><h2>{name}</h2>{pictures}{warnings}</section>")
_PICTURE: Final = Markup('<img alt="{alt}" src="{source}">')
_WARNING: Final = Markup("<p>{code}: {message}</p>")


class GalleryDocument(NamedTuple):
    """One rendered document: its PDF, a PNG of each page, and the warnings of the render."""

    name: str
    pdf: bytes
    pages: tuple[bytes, ...]
    warnings: tuple[Mapping[str, str], ...]


def gallery_requests() -> dict[str, dict[str, Any]]:
    """Return the request bodies of the gallery's documents, by name."""
    requests: dict[str, dict[str, Any]] = json.loads((GALLERY_DIR / "requests.json").read_text())
    for name, request in requests.items():
        html = (GALLERY_DIR / f"{name}.html").read_text(encoding="utf-8")
        request["input"] = {"type": "html", "html": html, **request.pop("input", {})}
    return requests


def render_gallery(run_info: Mapping[str, Any], out: Path) -> Iterator[str]:
    """Render the gallery into a folder; yield a line for each document, and for the index."""
    out.mkdir(parents=True, exist_ok=True)
    documents = []
    for name, request in gallery_requests().items():
        document = _render(run_info, name, request)
        documents.append(document)
        (out / f"{name}.pdf").write_bytes(document.pdf)
        for number, page in enumerate(document.pages, 1):
            (out / f"{name}-{number}.png").write_bytes(page)
        codes = ", ".join(warning["code"] for warning in document.warnings)
        yield f"{name}: {len(document.pages)} pages, {len(document.pdf)} bytes  {codes}".rstrip()
    (out / "index.html").write_text(_index(documents), encoding="utf-8")
    (out / "sheet.png").write_bytes(_sheet(run_info, documents))
    yield str(out / "index.html")


def _render(run_info: Mapping[str, Any], name: str, request: dict[str, Any]) -> GalleryDocument:
    render = create_render(run_info, request)
    file = render["files"][0]
    pictures = create_render(
        run_info,
        {"source": {"file_id": file["id"]}, "dpi": _DPI},
        "/pdf-tools/to-images",
    )
    return GalleryDocument(
        name,
        fetch_file(file["url"]),
        tuple(fetch_file(picture["url"]) for picture in pictures["files"]),
        tuple(render["warnings"]),
    )


def _index(documents: list[GalleryDocument]) -> str:
    sections = [
        _section(
            document,
            [f"{document.name}-{number}.png" for number in range(1, len(document.pages) + 1)],
        )
        for document in documents
    ]
    return _PAGE.format(height=420, sections=Markup().join(sections))


def _sheet(run_info: Mapping[str, Any], documents: list[GalleryDocument]) -> bytes:
    """Return a PNG of the first pages, which the service itself renders."""
    sections = [
        _section(document, map(_data_url, document.pages[:_MAX_SHEET_PAGES]))
        for document in documents
    ]
    html = _PAGE.format(height=300, sections=Markup().join(sections))
    image = {"full_page": True, "viewport": {"width": _SHEET_WIDTH, "height": 900}}
    output = {"format": "png", "image": image}
    render = create_render(run_info, {"input": {"type": "html", "html": html}, "output": output})
    return fetch_file(render["files"][0]["url"])


def _section(document: GalleryDocument, sources: Iterator[str] | list[str]) -> Markup:
    pictures = [
        _PICTURE.format(alt=f"{document.name}, page {number}", source=source)
        for number, source in enumerate(sources, 1)
    ]
    warnings = [_WARNING.format_map(warning) for warning in document.warnings]
    return _SECTION.format(
        name=document.name,
        pictures=Markup().join(pictures),
        warnings=Markup().join(warnings),
    )


def _data_url(picture: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(picture).decode()}"
