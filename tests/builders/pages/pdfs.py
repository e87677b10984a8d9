"""PDFs as the browser prints them, and their finishing."""

import io
from collections.abc import Mapping
from typing import Any

import pikepdf

from chalicelib.contract.options.output import OutputOptions
from chalicelib.contract.options.pdf import ContentSource
from chalicelib.engine.finishing.finish_pdf import finish_pdf
from chalicelib.engine.finishing.finisher import FinishingContext
from chalicelib.engine.finishing.separate_prints import SeparatePrint
from chalicelib.engine.render_trace import TraceRecorder

A4 = (0, 0, 595, 842)


def pdf_of(*boxes: tuple[float, float, float, float], title: str | None = None) -> bytes:
    """Return a PDF with a page for each box."""
    with pikepdf.new() as document:
        for box in boxes:
            document.add_blank_page()
            document.pages[-1].mediabox = pikepdf.Array([*box])
            # As Chromium prints: a transformation matrix without q and Q around it.
            document.pages[-1].Contents = document.make_stream(b".24 0 0 -.24 0 792 cm\n")
        if title is not None:
            document.docinfo["/Title"] = title
        result = io.BytesIO()
        plain = pikepdf.ObjectStreamMode.disable
        document.save(result, object_stream_mode=plain, deterministic_id=True)
    return result.getvalue()


def objects_text(content: bytes) -> bytes:
    """Return the text of all objects, which the file has in packed streams."""
    with pikepdf.open(io.BytesIO(content)) as document:
        return b"".join(each.unparse(resolved=True) for each in document.objects)


def objects_by_number(content: bytes) -> dict[int, tuple[bytes, bytes]]:
    """Return dictionary and stream of each object of a sound file, without those of packing."""
    with pikepdf.open(io.BytesIO(content)) as document:
        assert document.check_pdf_syntax() == []
        return {
            each.objgen[0]: _parts(each)
            for each in document.objects
            if not isinstance(each, pikepdf.Stream) or each.get("/Type") not in {"/ObjStm", "/XRef"}
        }


def _parts(value: pikepdf.Object) -> tuple[bytes, bytes]:
    if isinstance(value, pikepdf.Stream):
        return pikepdf.Object.unparse(value.stream_dict), value.read_raw_bytes()
    return value.unparse(), b""


def finish_printed(
    content: bytes,
    pdf: Mapping[str, Any] | None = None,
    *,
    test: bool = False,
    resources: Mapping[ContentSource, bytes] | None = None,
    page_pdf: bytes | None = None,
) -> bytes:
    """Return the finished PDF of a printed one; `page_pdf` is the print of a fresh page."""

    output, contents = OutputOptions.from_json({"pdf": pdf or {}}), resources or {}

    def print_separately(part: SeparatePrint) -> list[bytes]:
        page: Any = _FakePage(page_pdf)
        return part.print(page, output, contents)

    finishing = FinishingContext(output, contents, test, TraceRecorder(), print_separately)
    return finish_pdf(content, finishing)[0]


class _FakePage:
    """Browser page that prints given content."""

    def __init__(self, content: bytes | None) -> None:
        self._content = content

    def load(self, html: str, output: OutputOptions) -> None:
        assert html
        assert "pdf" in output.formats

    def pdf(self, options: object) -> bytes:
        assert options
        assert self._content is not None
        return self._content
