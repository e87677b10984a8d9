"""Options of the PDF tools: one struct for each tool, whose tag is the name in its route."""

from typing import Literal, override

from chalicelib.contract.options.base import Options
from chalicelib.contract.options.pdf import (
    Attachment,
    ContentSource,
    PdfALevel,
    Protection,
    Watermark,
)

PageImageFormat = Literal["png", "jpeg", "webp"]
type FieldValue = str | bool | tuple[str, ...]


class PdfSource(Options, frozen=True):
    """PDF that a request names: exactly one of the four; `content` is base64."""

    upload_id: str | None = None
    url: str | None = None
    file_id: str | None = None
    content: str | None = None
    password: str | None = None


class Stamp(Watermark, frozen=True):
    """Watermark that stands upright and opaque, or the first page of a PDF in its place."""

    file_id: str | None = None
    upload_id: str | None = None
    content: str | None = None
    opacity: float = 1.0
    angle: float = 0

    @property
    def page_source(self) -> PdfSource | None:
        """Return the PDF whose first page is the stamp, or None."""
        if self.text is not None or self.image is not None:
            return None
        return PdfSource(self.upload_id, None, self.file_id, self.content)


class DocumentInfo(Options, frozen=True):
    """Metadata to write; None keeps those of the document."""

    title: str | None = None
    author: str | None = None
    subject: str | None = None
    keywords: tuple[str, ...] | None = None
    language: str | None = None


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

    ranges: tuple[str, ...] | None = None


class ExtractPagesOptions(ToolOptions, frozen=True, tag="extract-pages"):
    """The pages `pages` alone, in the order of the document."""

    pages: str


class DeletePagesOptions(ToolOptions, frozen=True, tag="delete-pages"):
    """All pages but `pages`."""

    pages: str


class RotateOptions(ToolOptions, frozen=True, tag="rotate"):
    """Pages, by default all, turned clockwise by `angle` degrees."""

    angle: Literal[90, 180, 270]
    pages: str | None = None


class ReorderOptions(ToolOptions, frozen=True, tag="reorder"):
    """All pages in another order: a permutation of their numbers."""

    order: tuple[int, ...]


class WatermarkOptions(ToolOptions, frozen=True, tag="watermark"):
    """A text or picture on `pages`, by default all."""

    watermark: Watermark
    pages: str | None = None

    @property
    @override
    def mark(self) -> Watermark | None:
        """Return the watermark."""
        return self.watermark


class StampOptions(ToolOptions, frozen=True, tag="stamp"):
    """A text, a picture or a PDF page on `pages`, by default all."""

    stamp: Stamp
    pages: str | None = None

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

    attachments: tuple[Attachment, ...]

    @property
    @override
    def resources(self) -> dict[str, ContentSource | PdfSource]:
        """Return the files."""
        return {f"/attachments/{n}": each.source for n, each in enumerate(self.attachments)}


class FlattenOptions(ToolOptions, frozen=True, tag="flatten"):
    """Form fields and annotations drawn into their pages."""


class FillFormOptions(ToolOptions, frozen=True, tag="fill-form"):
    """Values of form fields by their full names; a list selects several choices."""

    fields: dict[str, FieldValue]


class CompressOptions(ToolOptions, frozen=True, tag="compress"):
    """The document in fewer bytes, without any loss."""


class ToImagesOptions(ToolOptions, frozen=True, tag="to-images"):
    """One picture for each page of `pages`, by default all. `dpi` are pixels for each inch."""

    format: PageImageFormat = "png"
    dpi: int = 150
    pages: str | None = None


class ToTextOptions(ToolOptions, frozen=True, tag="to-text"):
    """The text of the pages, with a form feed between two."""


class ConvertPdfaOptions(ToolOptions, frozen=True, tag="convert-pdfa"):
    """A document that conforms to a part and level of PDF/A."""

    pdfa: PdfALevel = "2b"


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
