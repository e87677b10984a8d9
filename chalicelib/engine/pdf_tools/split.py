"""Tool `split`: a document for each range of pages, of every few pages, or for each page."""

from collections.abc import Iterable
from itertools import batched
from typing import Final

from chalicelib.contract.options.pdf_tools import SplitOptions
from chalicelib.core.text import safe_filename
from chalicelib.engine.combining import zip_archive
from chalicelib.engine.context import RenderedFile
from chalicelib.engine.pdf_tools.page_ranges import page_indexes
from chalicelib.engine.pdf_tools.selected_pages import page_selection, selected_file
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput, refused_option
from chalicelib.engine.pdf_tools.tool_files import open_source

MAX_FILES: Final = 500
_ZIP_TYPE: Final = "application/zip"
# Files of an archive to which the caller gives no name.
_UNNAMED: Final = "document"


def run(tool_input: ToolInput[SplitOptions]) -> ToolOutput:
    """Make a document of each range. The files embedded in the source go into the first one."""
    with open_source(tool_input.source, tool_input) as document:
        parts = _parts(tool_input.options, len(document.pages))
        selection = page_selection(document, tool_input)
        files = []
        for part, indexes in enumerate(parts, start=1):
            files.append(selected_file(selection, indexes, part))
            selection.remove_attachments()
    if tool_input.options.zip:
        return ToolOutput((_archive(files, tool_input.filename),))
    return ToolOutput(tuple(files))


def _parts(options: SplitOptions, page_count: int) -> list[list[int]]:
    """Return the indexes of the pages of each file; raises `validation_error`."""
    if options.ranges is not None:
        return [
            page_indexes(each, page_count, f"/ranges/{place}")
            for place, each in enumerate(options.ranges)
        ]
    every = options.every or 1
    count = -(-page_count // every)
    if count <= MAX_FILES:
        return [list(indexes) for indexes in batched(range(page_count), every, strict=False)]
    if options.every is not None:
        message = f"makes {count} files of {page_count} pages; at most {MAX_FILES} are made"
        raise refused_option("/every", message, "out_of_range")
    message = f"is needed: a file for each of {page_count} pages is more than {MAX_FILES} files"
    raise refused_option("/ranges", message, "required")


def _archive(files: Iterable[RenderedFile], filename: str | None) -> RenderedFile:
    """Return a ZIP of the files, which are named as they are without it."""
    state, content = zip_archive.ZipState(), bytearray()
    for file in files:
        name = safe_filename(filename, fallback=_UNNAMED, extension=file.format, part=file.part)
        content += zip_archive.append(state, name, file.content)
    return RenderedFile("zip", bytes(content + zip_archive.finish(state)), _ZIP_TYPE)
