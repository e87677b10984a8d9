"""Document of the benchmark of all tools: 250 tagged pages, with an outline, links and a form."""

import io
from typing import Final

import pikepdf

from infra.bench.bare_browser import BareBrowser

PAGES: Final = 250
FIELD: Final = "remark"
_PRINT: Final = {
    "printBackground": True,
    "generateTaggedPDF": True,
    "generateDocumentOutline": True,
}
_STYLE: Final = "body { font: 11px sans-serif } section + section { break-before: page }"


def bench_document() -> bytes:
    """Return the document; each page has a text field."""
    with BareBrowser() as browser:
        page = browser.page()
        browser.load(page, _html())
        printed = browser.print(page, _PRINT)
    target = io.BytesIO()
    with pikepdf.open(io.BytesIO(printed)) as document:
        assert len(document.pages) == PAGES, len(document.pages)
        _add_form(document)
        document.save(target, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    return target.getvalue()


def _html() -> str:
    sections = "".join(
        f"<section><h2>Part {number}</h2><p>What is written down is kept for the day on which "
        f"somebody asks. <a href='https://parts.example/{number}'>Part {number}</a></p><table>"
        + "".join(f"<tr><td>{row}<td>Item {number}.{row}<td>{row}.50" for row in range(12))
        + "</table></section>"
        for number in range(PAGES)
    )
    return (
        f"<!doctype html><html lang=en><title>Parts</title><style>{_STYLE}</style>"
        f"<h1>Parts</h1>{sections}"
    )


def _add_form(document: pikepdf.Pdf) -> None:
    font = pikepdf.Dictionary(
        Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica
    )
    fields = pikepdf.Array()
    for number, page in enumerate(document.pages):
        field = document.make_indirect(
            pikepdf.Dictionary(
                Type=pikepdf.Name.Annot,
                Subtype=pikepdf.Name.Widget,
                FT=pikepdf.Name.Tx,
                T=f"{FIELD}{number}",
                V=f"Remark {number}",
                F=4,
                Rect=[60, 60, 260, 80],
                DA="/Helv 10 Tf 0 g",
                P=page.obj,
            )
        )
        annotations = page.obj.get("/Annots", pikepdf.Array())
        annotations.append(field)
        page.obj.Annots = annotations
        fields.append(field)
    document.Root.AcroForm = pikepdf.Dictionary(
        Fields=fields, DA="/Helv 10 Tf 0 g", DR=pikepdf.Dictionary(Font={"/Helv": font})
    )
