"""Options of the PDF tools: one struct for each tool, whose tag is the name in its route."""

from typing import Annotated, Literal, override

import msgspec

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
    """PDF that a request names in exactly one way; `content` is base64."""

    upload_id: values.UploadId | None = None
    """Id of an upload, `upl_…`; not with zero retention."""
    url: values.Url | None = None
    """A public http or https URL, which must answer within 10 s."""
    file_id: values.FileId | None = None
    """A PDF of an earlier render or tool that the key may read, while it is kept; not with zero
    retention. Beside `render_id` it is a file of that render."""
    content: values.Base64 | None = None
    """The bytes in base64."""
    render_id: values.RenderId | None = None
    """An earlier render or tool that the key may read, while its files are kept: its PDF. With
    several PDFs `file_id` says which. Not with zero retention."""
    data_uri: values.DataUri | None = None
    """The bytes as `data:application/pdf;base64,…`."""
    password: values.Password | None = None
    """Opens a protected PDF. One that has only an owner password opens without it. Null: none."""

    @property
    def base64(self) -> str | None:
        """Return the bytes in base64 if the request has them, or None."""
        if self.data_uri is None:
            return self.content
        return self.data_uri.partition(",")[2]


class Stamp(Watermark, frozen=True):
    """Watermark that stands upright and opaque, or the first page of a PDF in its place."""

    file_id: values.FileId | None = None
    """A PDF whose first page is the stamp: a file of an earlier render or tool."""
    upload_id: values.UploadId | None = None
    """An uploaded PDF whose first page is the stamp."""
    content: values.Base64 | None = None
    """A PDF in base64 whose first page is the stamp."""
    opacity: Annotated[float, Bounds(ge=0, le=1)] = 1.0
    """From 0, invisible, to 1, opaque."""
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

    bookmarks: bool = False
    """An outline entry for each source, named after its file, over the outline of the source. A
    source without a name, such as `content`, has the number of its place: `Document 2`."""


class SplitOptions(ToolOptions, frozen=True, tag="split"):
    """One document for each of `ranges`, or of every few pages, by default for each page."""

    ranges: (
        Annotated[tuple[values.PageRanges, ...], Bounds(min_length=1, max_length=500)] | None
    ) = None
    """A file for each of them, such as `["1-3", "4,6"]`. Null: a file for each page, or for each
    `every` pages, at most 500. Embedded files of the source go into the first file."""
    every: Annotated[int, Bounds(ge=1, le=100_000)] | None = None
    """Pages of each file, the last of which may have fewer. Excludes `ranges`. Null: 1."""
    zip: bool = False
    """One ZIP with the files, in place of the files."""


class ExtractPagesOptions(ToolOptions, frozen=True, tag="extract-pages"):
    """The pages `pages` alone, in the order of the document."""

    pages: values.PageRanges
    """Pages to keep, counted from 1, such as `1,3-5`; they stay in the order of the document."""


class DeletePagesOptions(ToolOptions, frozen=True, tag="delete-pages"):
    """All pages but `pages`."""

    pages: values.PageRanges
    """Pages to delete, counted from 1, such as `1,3-5`."""


class RotateOptions(ToolOptions, frozen=True, tag="rotate"):
    """Pages, by default all, turned clockwise by `degrees`."""

    degrees: values.RightAngle
    """A multiple of 90, clockwise; counter-clockwise if it is negative."""
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
    """The text or picture."""
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
    """The text, picture or PDF page."""
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


class ProtectOptions(Protection, ToolOptions, frozen=True, tag="protect"):
    """Encryption with AES-256."""


class UnlockOptions(ToolOptions, frozen=True, tag="unlock"):
    """The document without protection."""


class MetadataOptions(ToolOptions, frozen=True, tag="metadata"):
    """The document with other metadata, or what it has."""

    set_: DocumentInfo | None = msgspec.field(default=None, name="set")
    """Null: no file is made, and `result.metadata` has what the document says of itself."""


class AttachOptions(ToolOptions, frozen=True, tag="attach"):
    """The document with embedded files."""

    attachments: Annotated[tuple[Attachment, ...], Bounds(min_length=1, max_length=20)]
    """The files to embed."""

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
    """Format of the pictures."""
    dpi: Annotated[int, Bounds(ge=36, le=300)] = 150
    """Pixels for each inch; a picture has at most 16 384 on a side."""
    pages: values.PageRanges | None = None
    """Pages to draw, counted from 1, such as `1,3-5`; null: all."""


class ToTextOptions(ToolOptions, frozen=True, tag="to-text"):
    """The text of the pages, with a form feed between two."""


class PdfaOptions(ToolOptions, frozen=True, tag="pdfa"):
    """A document that conforms to a part and level of PDF/A."""

    level: PdfALevel = "2b"
    """Part and level; level `a` needs a tagged document."""


class ValidateOptions(ToolOptions, frozen=True, tag="validate"):
    """A report about what the document claims, and no file."""


class CompareOptions(ToolOptions, frozen=True, tag="compare"):
    """The pages of two documents side by side; no request of a tool has it (decision 88)."""

    dpi: Annotated[int, Bounds(ge=36, le=300)] = 96
    """Pixels for each inch."""


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
    | PdfaOptions
    | ValidateOptions
    | CompareOptions
)
