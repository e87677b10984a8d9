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
    """A file for each of them, such as `["1-3", "4,6"]`. Null: a file for each page, at most
    500."""


class ExtractPagesRequest(SourceRequest):
    """A PDF and the pages to keep."""

    pages: PageRanges
    """Pages counted from 1, such as `1,3-5`."""


class DeletePagesRequest(SourceRequest):
    """A PDF and the pages to delete; one at least must be left."""

    pages: PageRanges
    """Pages counted from 1, such as `1,3-5`."""


class RotateRequest(SourceRequest):
    """A PDF and how its pages are turned, in addition to how they are turned already."""

    angle: Literal[90, 180, 270]
    """Degrees, clockwise."""
    pages: PageRanges | None = None
    """Null: all."""


class ReorderRequest(SourceRequest):
    """A PDF and the order of its pages."""

    order: Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1, max_length=10_000)]
    """Every page number once, such as `[3, 1, 2]`."""


class WatermarkRequest(SourceRequest):
    """A PDF and the text or picture that its pages carry."""

    watermark: Watermark
    pages: PageRanges | None = None
    """Null: all."""


class Stamp(Watermark):
    """A watermark that stands upright and opaque, also of a PDF page.

    Exactly one of `text`, `image`, `file_id`, `upload_id` and `content`.
    """

    file_id: FileId | None = None
    """A PDF whose first page is the stamp: a file of an earlier render or tool."""
    upload_id: UploadId | None = None
    content: Base64 | None = None
    """A PDF in base64."""
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
    """Null: all."""


class ProtectRequest(SourceRequest):
    """A PDF to encrypt with AES-256."""

    protection: Protection


class UnlockRequest(SourceRequest):
    """A PDF whose protection is removed; one that is open passes."""


class DocumentInfo(DocumentTexts):
    """Metadata to write; an absent one keeps the document's, an empty one removes it."""

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
    """A PDF and the files that it is to carry."""

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
    """A PDF that is written in fewer bytes, without any loss."""


class ToImagesRequest(SourceRequest):
    """A PDF whose pages become pictures, at most 500."""

    format: options.PageImageFormat = _TO_IMAGES.format
    dpi: Annotated[int, Field(ge=36, le=300)] = _TO_IMAGES.dpi
    """Pixels for each inch; a picture has at most 16 384 on a side."""
    pages: PageRanges | None = None
    """Null: all."""


class ToTextRequest(SourceRequest):
    """A PDF whose text is extracted, with a form feed between two pages."""


class ConvertPdfaRequest(SourceRequest):
    """A PDF that is made to conform to PDF/A (ISO 19005)."""

    pdfa: PdfALevel = options.ConvertPdfaOptions().pdfa
    """Part and level; level `a` needs a tagged document."""


class ValidateRequest(SourceRequest):
    """A PDF that is judged by what it claims, or else by PDF/A-2b and PDF/UA-1."""


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
