"""Requests of the PDF tools, one for each."""

from typing import Annotated, Final, Literal, Self, override

import msgspec
from pydantic import Field, StringConstraints, model_validator

from chalicelib.contract.field_types import Base64, UploadId
from chalicelib.contract.options import pdf_tools as options
from chalicelib.contract.options.pdf import PdfALevel
from chalicelib.contract.pdf_tools.source import FileId, SourceRequest, SourcesRequest, ToolRequest
from chalicelib.contract.render.pdf import Attachment, DocumentTexts, PageRanges, Watermark
from chalicelib.contract.render.protection import Protection

# The defaults stand in the typed options.
_STAMP: Final = options.Stamp()
_TO_IMAGES: Final = options.ToImagesOptions()

FieldName = Annotated[str, StringConstraints(min_length=1, max_length=1000)]
FieldText = Annotated[str, StringConstraints(max_length=50_000)]


class MergeRequest(SourcesRequest):
    """PDFs to merge: all pages, in the order of the sources.

    Outlines, named destinations, tags, embedded files and form fields of all of them are kept.
    """


class SplitRequest(SourceRequest):
    """A PDF to split."""

    ranges: Annotated[list[PageRanges], Field(min_length=1, max_length=500)] | None = None
    """A file for each of them, such as `["1-3", "4,6"]`. Null: a file for each page, at most 500.
    Embedded files of the source go into the first file."""


class ExtractPagesRequest(SourceRequest):
    """A PDF and the pages to keep."""

    pages: PageRanges
    """Pages to keep, counted from 1, such as `1,3-5`; they stay in the order of the document."""


class DeletePagesRequest(SourceRequest):
    """A PDF and the pages to delete; one at least must be left."""

    pages: PageRanges
    """Pages to delete, counted from 1, such as `1,3-5`."""


class RotateRequest(SourceRequest):
    """A PDF and how its pages are turned, in addition to how they are turned already."""

    angle: Literal[90, 180, 270]
    """Degrees, clockwise."""
    pages: PageRanges | None = None
    """Pages to turn, counted from 1, such as `1,3-5`; null: all."""


class ReorderRequest(SourceRequest):
    """A PDF and the order of its pages."""

    order: Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1, max_length=10_000)]
    """Every page number once, such as `[3, 1, 2]`."""


class WatermarkRequest(SourceRequest):
    """A PDF and the text or picture that is drawn on its pages."""

    watermark: Watermark
    pages: PageRanges | None = None
    """Pages to draw it on, counted from 1, such as `1,3-5`; null: all."""


class Stamp(Watermark):
    """A watermark that is upright and opaque by default, and may be the first page of a PDF.

    Exactly one of `text`, `image`, `file_id`, `upload_id` and `content`; the last three name a PDF.
    """

    file_id: FileId | None = None
    """A PDF whose first page is the stamp: a file of an earlier render or tool."""
    upload_id: UploadId | None = None
    """An uploaded PDF whose first page is the stamp."""
    content: Base64 | None = None
    """A PDF in base64 whose first page is the stamp."""
    opacity: Annotated[float, Field(ge=0, le=1)] = _STAMP.opacity
    angle: Annotated[float, Field(ge=-180, le=180)] = _STAMP.angle
    """Degrees, counter-clockwise."""

    @model_validator(mode="after")
    @override
    def _check_text_or_image(self) -> Self:
        given = (self.text, self.image, self.file_id, self.upload_id, self.content)
        if sum(each is not None for each in given) != 1:
            message = "needs exactly one of text, image, file_id, upload_id and content"
            raise ValueError(message)
        return self


class StampRequest(SourceRequest):
    """A PDF and the text, picture or page that is drawn on its pages."""

    stamp: Stamp
    pages: PageRanges | None = None
    """Pages to draw it on, counted from 1, such as `1,3-5`; null: all."""


class ProtectRequest(SourceRequest):
    """A PDF to encrypt with AES-256; this replaces the protection that it has."""

    protection: Protection


class UnlockRequest(SourceRequest):
    """A PDF whose protection is removed; one without protection is taken as well."""


class DocumentInfo(DocumentTexts):
    """Metadata to write, at least one.

    An absent member or null keeps what the document has; an empty title, author, subject or list
    of keywords removes it.
    """

    @model_validator(mode="after")
    def _check_not_empty(self) -> Self:
        if all(getattr(self, name) is None for name in type(self).model_fields):
            message = "needs at least one of title, author, subject, keywords and language"
            raise ValueError(message)
        return self


class MetadataRequest(SourceRequest):
    """A PDF and its new metadata."""

    info: DocumentInfo


class AttachRequest(SourceRequest):
    """A PDF and the files to embed in it.

    A file of a name that the PDF has already gets `-2` before its extension.
    """

    attachments: Annotated[list[Attachment], Field(min_length=1, max_length=20)]


class FlattenRequest(SourceRequest):
    """A PDF whose form fields and annotations, all but links, are drawn into its pages."""


class FillFormRequest(SourceRequest):
    """A PDF with a form, and values of its fields."""

    fields: Annotated[
        dict[FieldName, FieldText | bool | list[FieldText]],
        Field(min_length=1, max_length=5000),
    ]
    """Values by the full names of the fields: texts; true or false, or the name of a state, for
    check boxes; the name of a state for radio buttons; a choice, or a list of choices."""


class CompressRequest(SourceRequest):
    """A PDF to write in fewer bytes, without any loss.

    Pictures keep their quality. A PDF that would not become smaller stays as it is.
    """


class ToImagesRequest(SourceRequest):
    """A PDF whose pages become pictures, at most 500."""

    format: options.PageImageFormat = _TO_IMAGES.format
    dpi: Annotated[int, Field(ge=36, le=300)] = _TO_IMAGES.dpi
    """Pixels for each inch; a picture has at most 16 384 on a side."""
    pages: PageRanges | None = None
    """Pages to draw, counted from 1, such as `1,3-5`; null: all."""


class ToTextRequest(SourceRequest):
    """A PDF whose text is extracted, in UTF-8 with a form feed between two pages."""


class ConvertPdfaRequest(SourceRequest):
    """A PDF that is made to conform to PDF/A (ISO 19005).

    Fonts that are not embedded are replaced, and what PDF/A forbids is left out. The validators
    judge the file; what they refuse is `pdfa_conversion_failed`.
    """

    pdfa: PdfALevel = options.ConvertPdfaOptions().pdfa
    """Part and level; level `a` needs a tagged document."""


class ValidateRequest(SourceRequest):
    """A PDF that is judged by what it claims, or else by PDF/A-2b and PDF/UA-1.

    The report is `result.conformance`; the request succeeds also where it says `failed`. There is
    no file.
    """


def tool_options(tool: str, request: ToolRequest) -> options.AnyToolOptions:
    """Return the typed options of a tool's request."""
    shared = (SourcesRequest if isinstance(request, SourcesRequest) else SourceRequest).model_fields
    given = request.model_dump(by_alias=True, exclude=set(shared))
    typed: options.AnyToolOptions = msgspec.convert(
        {**given, "tool": tool}, options.AnyToolOptions, strict=True
    )
    return typed


def tool_sources(request: ToolRequest) -> tuple[options.PdfSource, ...]:
    """Return the typed sources of a tool's request."""
    sources = request.sources if isinstance(request, SourcesRequest) else ()
    if isinstance(request, SourceRequest):
        sources = [request.source]
    return tuple(options.PdfSource.from_json(source.model_dump()) for source in sources)
