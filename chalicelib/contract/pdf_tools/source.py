"""Sources of PDF tools, and what every request of a tool has."""

from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from chalicelib.contract.base import Model
from chalicelib.contract.field_types import Base64, UploadId, Url
from chalicelib.contract.render.output import FailOn
from chalicelib.contract.render.protection import Password
from chalicelib.contract.render.request import RunOptions

FileId = Annotated[str, StringConstraints(min_length=1, max_length=64)]


class PdfSource(Model):
    """A PDF of at most 100 MB: exactly one of `upload_id`, `url`, `file_id` and `content`."""

    upload_id: UploadId | None = None
    """An upload; not with zero retention."""
    url: Url | None = None
    """A public http or https URL, which must answer within 10 s."""
    file_id: FileId | None = None
    """A PDF of an earlier render or tool that the key may read, while it is kept; not with zero
    retention."""
    content: Base64 | None = None
    """The bytes in base64."""
    password: Password | None = None
    """Opens a protected PDF. One that has only an owner password opens without it."""

    @model_validator(mode="after")
    def _check_exactly_one(self) -> Self:
        given = (self.upload_id, self.url, self.file_id, self.content)
        if sum(each is not None for each in given) != 1:
            message = "needs exactly one of upload_id, url, file_id and content"
            raise ValueError(message)
        return self


class ToolRequest(RunOptions):
    """Common fields of the requests of all tools."""

    filename: Annotated[str, StringConstraints(max_length=255)] | None = None
    """The extension becomes that of the format; several files end with `-1`, `-2` and so on. Null:
    the id of the render."""
    fail_on: FailOn = Field(default=[])
    test: bool | None = None
    """Always true with a test key: pages and pictures then carry the word TEST."""


class SourceRequest(ToolRequest):
    """The request of a tool that reads one PDF."""

    source: PdfSource


class SourcesRequest(ToolRequest):
    """The request of a tool that reads several PDFs."""

    sources: Annotated[list[PdfSource], Field(min_length=2, max_length=500)]
    """The PDFs, in order; at most 200 MB together."""
