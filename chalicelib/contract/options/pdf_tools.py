"""Options of the PDF tools: one struct for each tool, whose tag is the name in its route."""

from typing import Annotated, Literal, override

from chalicelib.contract.options import values
from chalicelib.contract.options.base import Bounds, Options
from chalicelib.contract.options.pdf import (
    Attachment,
    ContentSource,
    DocumentInfo,
    PdfALevel,
    Protection,
    Watermark,
)

PageImageFormat = Literal["png", "jpeg", "webp"]
FieldName = Annotated[str, Bounds(min_length=1, max_length=1000)]
FieldText = Annotated[str, Bounds(max_length=50_000)]
FieldValue = FieldText | bool | tuple[FieldText, ...]


class PdfSource(Options, frozen=True):
    """PDF that a request names: exactly one of the four; `content` is base64."""

    upload_id: values.UploadId | None = None
    """An upload; not with zero retention."""
    url: values.Url | None = None
    """A public http or https URL, which must answer within 10 s."""
    file_id: values.FileId | None = None
    """A PDF of an earlier render or tool that the key may read, while it is kept; not with zero
    retention."""
    content: values.Base64 | None = None
    """The bytes in base64."""
    password: values.Password | None = None
    """Opens a protected PDF. One that has only an owner password opens without it."""


class Stamp(Watermark, frozen=True):
    """Watermark that stands upright and opaque, or the first page of a PDF in its place."""

    file_id: values.FileId | None = None
    """A PDF whose first page is the stamp: a file of an earlier render or tool."""
    upload_id: values.UploadId | None = None
    """An uploaded PDF whose first page is the stamp."""
    content: values.Base64 | None = None
    """A PDF in base64 whose first page is the stamp."""
    opacity: Annotated[float, Bounds(ge=0, le=1)] = 1.0
    angle: Annotated[float, Bounds(ge=-180, le=180)] = 0
    """Degrees, counter-clockwise."""

    @property
    def page_source(self) -> PdfSource | None:
        """Return the PDF whose first page is the stamp, or None."""
        if self.text is not None or self.image is not None:
            return None
        return PdfSource(self.upload_id, None, self.file_id, self.content)


class ToolOptions(Options, frozen=True, tag_field="tool"):
    """Base of the options of a tool."""

    @property
    def tool(self) -> str:
        """Return the tool's name."""
        return str(self.__struct_config__.tag)

    @property
    def mark(self) -> Watermark | None:
        """Return the text or picture that the browser prints for the tool, or None."""
        return None

    @property
    def resources(self) -> dict[str, ContentSource | PdfSource]:
        """Return what the tool reads besides its sources, by JSON Pointer into the request."""
        return {}


class MergeOptions(ToolOptions, frozen=True, tag="merge"):
    """All pages of all sources, in their order."""


class SplitOptions(ToolOptions, frozen=True, tag="split"):
    """One document for each of `ranges`, by default for each page."""

    ranges: (
        Annotated[tuple[values.PageRanges, ...], Bounds(min_length=1, max_length=500)] | None
    ) = None
    """A file for each of them, such as `["1-3", "4,6"]`. Null: a file for each page, at most 500.
    Embedded files of the source go into the first file."""


class ExtractPagesOptions(ToolOptions, frozen=True, tag="extract-pages"):
    """The pages `pages` alone, in the order of the document."""

    pages: values.PageRanges
    """Pages to keep, counted from 1, such as `1,3-5`; they stay in the order of the document."""


class DeletePagesOptions(ToolOptions, frozen=True, tag="delete-pages"):
    """All pages but `pages`."""

    pages: values.PageRanges
    """Pages to delete, counted from 1, such as `1,3-5`."""


class RotateOptions(ToolOptions, frozen=True, tag="rotate"):
    """Pages, by default all, turned clockwise by `angle` degrees."""

    angle: Literal[90, 180, 270]
    """Degrees, clockwise."""
    pages: values.PageRanges | None = None
    """Pages to turn, counted from 1, such as `1,3-5`; null: all."""


class ReorderOptions(ToolOptions, frozen=True, tag="reorder"):
    """All pages in another order: a permutation of their numbers."""

    order: Annotated[
        tuple[Annotated[int, Bounds(ge=1)], ...], Bounds(min_length=1, max_length=10_000)
    ]
    """Every page number once, such as `[3, 1, 2]`."""


class WatermarkOptions(ToolOptions, frozen=True, tag="watermark"):
    """A text or picture on `pages`, by default all."""

    watermark: Watermark
    pages: values.PageRanges | None = None
    """Pages to draw it on, counted from 1, such as `1,3-5`; null: all."""

    @property
    @override
    def mark(self) -> Watermark | None:
        """Return the watermark."""
        return self.watermark


class StampOptions(ToolOptions, frozen=True, tag="stamp"):
    """A text, a picture or a PDF page on `pages`, by default all."""

    stamp: Stamp
    pages: values.PageRanges | None = None
    """Pages to draw it on, counted from 1, such as `1,3-5`; null: all."""

    @property
    @override
    def mark(self) -> Watermark | None:
        """Return the stamp, unless it is a PDF page."""
        return self.stamp if self.stamp.page_source is None else None

    @property
    @override
    def resources(self) -> dict[str, ContentSource | PdfSource]:
        """Return the PDF whose page is the stamp."""
        page = self.stamp.page_source
        return {} if page is None else {"/stamp": page}


class ProtectOptions(ToolOptions, frozen=True, tag="protect"):
    """Encryption with AES-256."""

    protection: Protection


class UnlockOptions(ToolOptions, frozen=True, tag="unlock"):
    """The document without protection."""


class MetadataOptions(ToolOptions, frozen=True, tag="metadata"):
    """The document with other metadata."""

    info: DocumentInfo


class AttachOptions(ToolOptions, frozen=True, tag="attach"):
    """The document with embedded files."""

    attachments: Annotated[tuple[Attachment, ...], Bounds(min_length=1, max_length=20)]

    @property
    @override
    def resources(self) -> dict[str, ContentSource | PdfSource]:
        """Return the files."""
        return {f"/attachments/{n}": each.source for n, each in enumerate(self.attachments)}


class FlattenOptions(ToolOptions, frozen=True, tag="flatten"):
    """Form fields and annotations drawn into their pages."""


class FillFormOptions(ToolOptions, frozen=True, tag="fill-form"):
    """Values of form fields by their full names; a list selects several choices."""

    fields: Annotated[dict[FieldName, FieldValue], Bounds(min_length=1, max_length=5000)]
    """Values by the full names of the fields: texts; true or false, or the name of a state, for
    check boxes; the name of a state for radio buttons; a choice, or a list of choices."""


class CompressOptions(ToolOptions, frozen=True, tag="compress"):
    """The document in fewer bytes, without any loss."""


class ToImagesOptions(ToolOptions, frozen=True, tag="to-images"):
    """One picture for each page of `pages`, by default all. `dpi` are pixels for each inch."""

    format: PageImageFormat = "png"
    dpi: Annotated[int, Bounds(ge=36, le=300)] = 150
    """Pixels for each inch; a picture has at most 16 384 on a side."""
    pages: values.PageRanges | None = None
    """Pages to draw, counted from 1, such as `1,3-5`; null: all."""


class ToTextOptions(ToolOptions, frozen=True, tag="to-text"):
    """The text of the pages, with a form feed between two."""


class ConvertPdfaOptions(ToolOptions, frozen=True, tag="convert-pdfa"):
    """A document that conforms to a part and level of PDF/A."""

    pdfa: PdfALevel = "2b"
    """Part and level; level `a` needs a tagged document."""


class ValidateOptions(ToolOptions, frozen=True, tag="validate"):
    """A report about what the document claims, and no file."""


type AnyToolOptions = (
    MergeOptions
    | SplitOptions
    | ExtractPagesOptions
    | DeletePagesOptions
    | RotateOptions
    | ReorderOptions
    | WatermarkOptions
    | StampOptions
    | ProtectOptions
    | UnlockOptions
    | MetadataOptions
    | AttachOptions
    | FlattenOptions
    | FillFormOptions
    | CompressOptions
    | ToImagesOptions
    | ToTextOptions
    | ConvertPdfaOptions
    | ValidateOptions
)
