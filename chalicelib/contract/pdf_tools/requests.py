"""Requests of the PDF tools, one for each."""

from copy import replace

import msgspec
from pydantic import ValidationInfo, field_validator

from chalicelib.contract.field_types import Password
from chalicelib.contract.options import pdf_tools as options
from chalicelib.contract.options.pdf import DocumentInfo as DocumentTexts
from chalicelib.contract.options_model import OptionsModel
from chalicelib.contract.pdf_tools.source import SourceRequest, SourcesRequest, ToolRequest
from chalicelib.contract.render.pdf import check_protection


def _check_stamp(stamp: options.Stamp) -> None:
    given = (stamp.text, stamp.image, stamp.file_id, stamp.upload_id, stamp.content)
    if sum(each is not None for each in given) != 1:
        message = "needs exactly one of text, image, file_id, upload_id and content"
        raise ValueError(message)


def _check_info(info: DocumentTexts) -> None:
    if info == DocumentTexts():
        message = "needs at least one of title, author, subject, keywords and language"
        raise ValueError(message)


class MergeRequest(OptionsModel, SourcesRequest, of=options.MergeOptions):
    """PDFs to merge: all pages, in the order of the sources.

    Outlines, named destinations, tags, embedded files and form fields of all of them are kept.
    """


class SplitRequest(OptionsModel, SourceRequest, of=options.SplitOptions):
    """A PDF to split."""

    @field_validator("every")
    @classmethod
    def _check_every(cls, every: int | None, info: ValidationInfo) -> int | None:
        if every is not None and info.data.get("ranges") is not None:
            message = "stands in place of ranges: leave one of both out"
            raise ValueError(message)
        return every


class ExtractPagesRequest(OptionsModel, SourceRequest, of=options.ExtractPagesOptions):
    """A PDF and the pages to keep."""


class DeletePagesRequest(OptionsModel, SourceRequest, of=options.DeletePagesOptions):
    """A PDF and the pages to delete; one at least must be left."""


class RotateRequest(OptionsModel, SourceRequest, of=options.RotateOptions):
    """A PDF and how its pages are turned, in addition to how they are turned already."""


class ReorderRequest(OptionsModel, SourceRequest, of=options.ReorderOptions):
    """A PDF and the order of its pages."""


class WatermarkRequest(OptionsModel, SourceRequest, of=options.WatermarkOptions):
    """A PDF and the text or picture that is drawn on its pages."""


class Stamp(OptionsModel, of=options.Stamp, check=_check_stamp):
    """A watermark that is upright and opaque by default, and may be the first page of a PDF.

    Exactly one of `text`, `image`, `file_id`, `upload_id` and `content`; the last three name a PDF.
    """


class StampRequest(OptionsModel, SourceRequest, of=options.StampOptions):
    """A PDF and the text, picture or page that is drawn on its pages."""


class ProtectRequest(
    OptionsModel, SourceRequest, of=options.ProtectOptions, check=check_protection
):
    """A PDF to encrypt with AES-256; this replaces the protection that it has.

    At least one password.
    """


class UnlockRequest(SourceRequest):
    """A PDF whose protection is removed; one without protection is taken as well."""

    password: Password | None = None
    """Opens the PDF, as `source.password` does; one of both."""

    @field_validator("password")
    @classmethod
    def _check_password(cls, password: str | None, info: ValidationInfo) -> str | None:
        source = info.data.get("source")
        if password is not None and source is not None and source.password is not None:
            message = "is that of source.password too: leave one of both out"
            raise ValueError(message)
        return password


class DocumentInfo(OptionsModel, of=DocumentTexts, check=_check_info):
    """Metadata to write, at least one.

    An absent member or null keeps what the document has; an empty title, author, subject or list
    of keywords removes it.
    """


class MetadataRequest(OptionsModel, SourceRequest, of=options.MetadataOptions):
    """A PDF and its new metadata; without them the request only reads, and makes no file."""


class AttachRequest(OptionsModel, SourceRequest, of=options.AttachOptions):
    """A PDF and the files to embed in it.

    A file of a name that the PDF has already gets `-2` before its extension.
    """


class FlattenRequest(SourceRequest):
    """A PDF whose form fields and annotations, all but links, are drawn into its pages."""


class FillFormRequest(OptionsModel, SourceRequest, of=options.FillFormOptions):
    """A PDF with a form, and values of its fields."""


class CompressRequest(SourceRequest):
    """A PDF to write in fewer bytes, without any loss.

    Pictures keep their quality. A PDF that would not become smaller stays as it is.
    """


class ToImagesRequest(OptionsModel, SourceRequest, of=options.ToImagesOptions):
    """A PDF whose pages become pictures, at most 500."""


class ToTextRequest(SourceRequest):
    """A PDF whose text is extracted, in UTF-8 with a form feed between two pages."""


class PdfaRequest(OptionsModel, SourceRequest, of=options.PdfaOptions):
    """A PDF that is made to conform to PDF/A (ISO 19005).

    Fonts that are not embedded are replaced, and what PDF/A forbids is left out. The validators
    judge the file; what they refuse is `pdfa_conversion_failed`.
    """


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
    typed = tuple(options.PdfSource.from_json(source.model_dump()) for source in sources)
    if isinstance(request, UnlockRequest) and request.password is not None:
        return tuple(replace(source, password=request.password) for source in typed)
    return typed
