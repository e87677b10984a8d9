"""PDFs as the browser prints them, and what finishing is told of them."""

import io
from collections.abc import Callable, Mapping
from typing import Any

import pikepdf

from chalicelib.engine.browser.page import Page
from chalicelib.engine.course import Course
from chalicelib.engine.finishing.pdf import finish_pdf
from chalicelib.engine.formats.format import Finishing
from chalicelib.engine.options.output import Output
from chalicelib.engine.options.pdf import Source

A4 = (0, 0, 595, 842)


def pdf_of(*boxes: tuple[float, float, float, float], title: str | None = None) -> bytes:
    """Return a PDF with a page for each box."""
    with pikepdf.new() as document:
        for box in boxes:
            document.add_blank_page()
            document.pages[-1].mediabox = pikepdf.Array([*box])
            # As the browser does: a matrix that nobody takes back.
            document.pages[-1].Contents = document.make_stream(b".24 0 0 -.24 0 792 cm\n")
        if title is not None:
            document.docinfo["/Title"] = title
        result = io.BytesIO()
        plain = pikepdf.ObjectStreamMode.disable
        document.save(result, object_stream_mode=plain, deterministic_id=True)
    return result.getvalue()


def finished(
    content: bytes,
    pdf: Mapping[str, Any] | None = None,
    *,
    test: bool = False,
    resources: Mapping[Source, bytes] | None = None,
    sheet: bytes | None = None,
) -> bytes:
    """Return what becomes of a printed PDF; `sheet` is what a page of its own would print."""

    def fresh_page[Result](work: Callable[[Page], Result]) -> Result:
        return work(_Sheet(sheet))  # type: ignore[arg-type]

    output = Output.from_json({"pdf": pdf or {}})
    finishing = Finishing(output, resources or {}, test, Course(), fresh_page)
    return finish_pdf(content, finishing)[0]


class _Sheet:
    """A page that prints what it is given."""

    def __init__(self, content: bytes | None) -> None:
        self._content = content

    def load(self, html: str, output: Output) -> None:
        assert html
        assert "pdf" in output.formats

    def pdf(self, options: object) -> bytes:
        assert options
        assert self._content is not None
        return self._content
