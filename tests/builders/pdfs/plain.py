"""PDFs of plain pages, each with a text that names it."""

import io
import random
from base64 import b64encode

import pikepdf


def pdf(
    pages: int = 3,
    *,
    password: str = "",
    size: tuple[float, float] = (300, 400),
    field: str = "",
    noise_bytes: int = 0,
) -> bytes:
    """Return a PDF whose pages say `page 1` and so on.

    It opens with the password, if any; its first page may have a text field. All pages share
    `noise_bytes` that do not compress.
    """
    with pikepdf.new() as document:
        font = document.make_indirect(
            pikepdf.Dictionary(
                Type=pikepdf.Name.Font,
                Subtype=pikepdf.Name.Type1,
                BaseFont=pikepdf.Name.Helvetica,
                Encoding=pikepdf.Name.WinAnsiEncoding,
            )
        )
        noise = document.make_stream(random.Random(1).randbytes(noise_bytes))  # noqa: S311 -- no secret
        for number in range(1, pages + 1):
            page = document.add_blank_page(page_size=size)
            if noise_bytes:
                page.obj.Noise = noise
            page.add_resource(font, pikepdf.Name.Font, name=pikepdf.Name.F1)
            text = f"BT /F1 24 Tf 40 200 Td (page {number}) Tj ET"
            page.Contents = document.make_stream(text.encode())
        if field:
            _add_field(document, field)
        target = io.BytesIO()
        encryption = pikepdf.Encryption(owner=password, user=password) if password else None
        document.save(target, deterministic_id=encryption is None, encryption=encryption or False)
    return target.getvalue()


def _add_field(document: pikepdf.Pdf, name: str) -> None:
    page = document.pages[0]
    widget = document.make_indirect(
        pikepdf.Dictionary(
            Type=pikepdf.Name.Annot,
            Subtype=pikepdf.Name.Widget,
            FT=pikepdf.Name.Tx,
            T=name,
            F=4,
            Rect=[40, 40, 200, 60],
            DA="/F1 12 Tf 0 g",
            P=page.obj,
        )
    )
    page.obj.Annots = pikepdf.Array([widget])
    fonts = page.obj.Resources.Font
    document.Root.AcroForm = pikepdf.Dictionary(
        Fields=[widget], DA="/F1 12 Tf 0 g", DR=pikepdf.Dictionary(Font=fonts)
    )


def as_source(content: bytes, **more: str) -> dict[str, str]:
    """Return a PDF as the source of a request."""
    return {"content": b64encode(content).decode(), **more}
