"""Sources of PDF tools, and what every request of a tool has."""

from typing import Annotated

from pydantic import Field, StringConstraints

from chalicelib.contract.options import pdf_tools as options
from chalicelib.contract.options_model import OptionsModel
from chalicelib.contract.render.output import FailOn
from chalicelib.contract.render.request import RunOptions


def _check_source(source: options.PdfSource) -> None:
    # A file of a render may be named with its render.
    file_id = None if source.render_id is not None else source.file_id
    given = (source.upload_id, source.url, file_id, source.content, source.data_uri)
    if sum(each is not None for each in (*given, source.render_id)) != 1:
        message = (
            "needs exactly one of upload_id, url, file_id, content, render_id and data_uri; "
            "file_id may stand beside render_id"
        )
        raise ValueError(message)


class PdfSource(OptionsModel, of=options.PdfSource, check=_check_source):
    """A PDF of at most 100 MB, named in exactly one way.

    By `upload_id`, `url`, `file_id`, `content`, `render_id` or `data_uri`; `file_id` may also stand
    beside `render_id`.
    """


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
    """The PDF."""


class SourcesRequest(ToolRequest):
    """The request of a tool that reads several PDFs."""

    sources: Annotated[list[PdfSource], Field(min_length=2, max_length=500)]
    """The PDFs, in order; at most 200 MB together."""
