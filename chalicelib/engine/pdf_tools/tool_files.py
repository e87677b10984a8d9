"""Writing of a document as the file of a tool, with its test mark."""

import io
import warnings
from typing import Final

import pikepdf

from chalicelib.contract.options.pdf_tools import ToolOptions
from chalicelib.engine.context import RenderedFile
from chalicelib.engine.finishing.test_mark import mark_pages
from chalicelib.engine.pdf.forms.form_fields import FormField, form_fields
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput

PDF_TYPE: Final = "application/pdf"
_ARCHIVE_VERSION: Final = "1.7"
_SIGNATURES_EXIST: Final = 1


def pdf_output(
    document: pikepdf.Pdf,
    tool_input: ToolInput[ToolOptions],
    encryption: pikepdf.Encryption | None = None,
) -> ToolOutput:
    """Return a changed document as the tool's only file, and warn of signatures that it breaks."""
    warn_of_signatures(document, tool_input)
    return ToolOutput((pdf_file(document, tool_input, encryption=encryption),))


def pdf_file(
    document: pikepdf.Pdf,
    tool_input: ToolInput[ToolOptions],
    *,
    part: int | None = None,
    encryption: pikepdf.Encryption | None = None,
) -> RenderedFile:
    """Return a document as a file, with the test mark for a test."""
    if tool_input.test:
        mark_pages(document)
    content = save(document, encryption)
    return RenderedFile("pdf", content, PDF_TYPE, len(document.pages), part=part)


def save(
    document: pikepdf.Pdf,
    encryption: pikepdf.Encryption | None = None,
    *,
    is_archive: bool = False,
) -> bytes:
    """Return a document as bytes; without encryption, equal documents give equal bytes.

    PDF/A-2 and -3 are PDF 1.7 at most (ISO 19005-2, 6.1.2).
    """
    target = io.BytesIO()
    # qpdf writes it, correctly, only if the source had one.
    document.trailer.Size = 0
    # A widget that is in no form is as it was in the source.
    with warnings.catch_warnings(action="ignore", category=pikepdf.PageCopyWarning):
        document.save(
            target,
            deterministic_id=encryption is None,
            object_stream_mode=pikepdf.ObjectStreamMode.generate,
            encryption=encryption or False,
            force_version=_ARCHIVE_VERSION if is_archive else "",
            # The XMP of archives is complete as it is.
            fix_metadata_version=not is_archive,
        )
    return target.getvalue()


def warn_of_signatures(document: pikepdf.Pdf, tool_input: ToolInput[ToolOptions]) -> None:
    """Warn that the digital signatures of a document do not hold for the changed one."""
    form = document.Root.get("/AcroForm")
    if not isinstance(form, pikepdf.Dictionary):
        return
    flags = form.get("/SigFlags", 0)
    is_flagged = isinstance(flags, int) and flags & _SIGNATURES_EXIST
    if is_flagged or any(_is_signed(field) for field in form_fields(form).values()):
        tool_input.warn(
            "feature_unavailable",
            "The document was signed digitally; its signatures do not hold for the changed file.",
            "signature",
        )


def _is_signed(field: FormField) -> bool:
    return field.type == "/Sig" and "/V" in field.dictionary
