"""Files of earlier renders that a PDF tool reads, and the names of the files of its sources."""

from collections.abc import Iterable, Mapping
from copy import replace
from itertools import batched
from typing import Final, NoReturn
from urllib.parse import unquote, urlsplit

import msgspec

from chalicelib.adapters.aws.table import BATCH_GET_LIMIT
from chalicelib.contract.options.pdf_tools import MergeOptions, PdfSource
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.errors import Conflict, FieldError, NotFound, ServiceError, validation_error
from chalicelib.core.ids import FileId, RenderId, is_id
from chalicelib.engine.job import PdfToolJob
from chalicelib.engine.pdf_tools.tool import MAX_SOURCE_BYTES
from chalicelib.features.files.model import StoredFile
from chalicelib.features.files.repository import FileRecord, Files
from chalicelib.features.renders.accept.command import RenderCommand
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.read import Viewer
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.run.jobs import (
    referenced_files,
    referenced_renders,
    referenced_uploads,
)
from chalicelib.features.uploads.read import ReadUploads

_NOT_FOUND: Final = "is no file of a render that this key may read"
_NO_RENDER: Final = "is no render that this key may read"
_FILE_ID: Final = "/file_id"
_PDF: Final = "pdf"
_EXTENSION: Final = ".pdf"
_MAX_TITLE_CHARACTERS: Final = 200


class ResolveSourceFiles(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Resolver that puts the object keys of files into the job of a command."""

    files: Files
    renders: Renders
    uploads: ReadUploads
    clock: Clock

    def __call__(self, command: RenderCommand) -> RenderCommand:
        """Return the command with the keys of the files that its job names, and their names.

        Raises `not_found`, `file_expired`, `conflict` for a render without an end, or
        `validation_error` for a file that is no PDF or too large, and for a render that does not
        have exactly one PDF. Reads nothing if the job names none.
        """
        job = command.job
        if not isinstance(job, PdfToolJob):
            return command
        viewer = Viewer(command.workspace.id, command.key_mode, command.key_allowlist)
        asked = referenced_files(job)
        job = self._with_files_of_renders(job, viewer)
        named = referenced_files(job)
        records = self._visible(viewer, set(named.values())) if named else {}
        for pointer, file_id in named.items():
            is_of_render = pointer not in asked
            shown = f"{pointer.removesuffix(_FILE_ID)}/render_id" if is_of_render else pointer
            self._check(shown, records.get(FileId(file_id)))
        keys = {str(file_id): record.file.key for file_id, record in records.items()}
        names = self._names(job, viewer, records)
        return replace(command, job=replace(job, file_keys=keys, names=names))

    def _with_files_of_renders(self, job: PdfToolJob, viewer: Viewer) -> PdfToolJob:
        """Return the job whose sources name the PDFs of the renders that they name."""
        named = referenced_renders(job)
        if not named:
            return job
        renders = self._visible_renders(viewer, set(named.values()))
        sources = tuple(
            source
            if source.render_id is None
            else _with_file(source, renders.get(RenderId(source.render_id)), pointer)
            for pointer, source in job.pdf_sources().items()
        )
        return replace(job, sources=sources)

    def _visible_renders(self, viewer: Viewer, ids: Iterable[str]) -> Mapping[RenderId, Render]:
        wanted = sorted(RenderId(each) for each in ids if is_id("rnd", each))
        return {
            render.id: render
            for some in batched(wanted, BATCH_GET_LIMIT, strict=False)
            for render in self.renders.get_many(viewer.workspace_id, some)
            if viewer.may_see(render)
        }

    def _visible(self, viewer: Viewer, ids: set[str]) -> Mapping[FileId, FileRecord]:
        """Return the records of those files whose renders the viewer may see."""
        wanted = sorted(FileId(each) for each in ids if is_id("file", each))
        records = [
            record
            for some in batched(wanted, BATCH_GET_LIMIT, strict=False)
            for record in self.files.records(some)
            if record.owner.workspace_id == viewer.workspace_id
        ]
        renders = self._visible_renders(viewer, {record.owner.render_id for record in records})
        # Of zero retention the files stay for their uploads alone.
        shown = {render.id for render in renders.values() if not render.zero_retention}
        return {record.file.id: record for record in records if record.owner.render_id in shown}

    def _check(self, pointer: str, record: FileRecord | None) -> None:
        if record is None:
            _refuse_absent(pointer, _NOT_FOUND)
        file = record.file
        is_expired = file.expires_at is None or file.expires_at <= format_rfc3339(self.clock.now())
        if record.is_purged or is_expired:
            _refuse_expired(pointer)
        if file.format != _PDF:
            raise validation_error(pointer, f"is a {file.format}, and no PDF", "not_allowed")
        if file.bytes > MAX_SOURCE_BYTES:
            message = f"has {file.bytes} bytes; a source may have {MAX_SOURCE_BYTES}"
            raise validation_error(pointer, message, "too_large")

    def _names(
        self, job: PdfToolJob, viewer: Viewer, records: Mapping[FileId, FileRecord]
    ) -> Mapping[str, str]:
        """Return the names of the files of sources, without extension, where a tool shows them."""
        if not isinstance(job.options, MergeOptions) or not job.options.bookmarks:
            return {}
        by_pointer = referenced_uploads(job)
        uploads = self.uploads.get_ready(viewer.workspace_id, by_pointer) if by_pointer else {}
        names: dict[str, str] = {}
        for pointer, source in job.pdf_sources().items():
            if source.file_id is not None:
                names[pointer] = records[FileId(source.file_id)].file.filename
            elif source.upload_id is not None:
                names[pointer] = uploads[f"{pointer}/upload_id"].filename
            elif source.url is not None:
                names[pointer] = unquote(urlsplit(source.url).path.rpartition("/")[2])
        titles = {pointer: _title(name) for pointer, name in names.items()}
        return {pointer: title for pointer, title in titles.items() if title}


def _with_file(source: PdfSource, render: Render | None, pointer: str) -> PdfSource:
    """Return a source that names the PDF of its render."""
    render_pointer, file_pointer = f"{pointer}/render_id", f"{pointer}/file_id"
    if render is None:
        _refuse_absent(render_pointer, _NO_RENDER)
    if not render.is_final:
        message = f"is {render.status}: its files are not there yet"
        errors = [FieldError(render_pointer, "conflict", message)]
        raise Conflict("conflict", f"{render_pointer}: the render {message}.", errors=errors)
    if render.status != "succeeded":
        raise validation_error(render_pointer, f"{render.status}: it has no file", "not_allowed")
    if render.files_purged_at is not None or render.zero_retention:
        # Of zero retention the files stay for their uploads alone.
        _refuse_expired(render_pointer)
    if source.file_id is not None:
        if source.file_id not in {file.id for file in render.files}:
            _refuse_absent(file_pointer, _NOT_FOUND)
        return source
    pdfs = [file for file in render.files if file.format == _PDF]
    return replace(source, file_id=_only(pdfs, pointer).id)


def _only(pdfs: list[StoredFile], pointer: str) -> StoredFile:
    if not pdfs:
        raise validation_error(f"{pointer}/render_id", "has no PDF among its files", "not_allowed")
    if len(pdfs) > 1:
        message = f"is needed: the render has {len(pdfs)} PDFs"
        raise validation_error(f"{pointer}/file_id", message, "required")
    return pdfs[0]


def _refuse_absent(pointer: str, message: str) -> NoReturn:
    errors = [FieldError(pointer, "not_found", message)]
    raise NotFound("not_found", f"{pointer}: {message}.", errors=errors)


def _refuse_expired(pointer: str) -> NoReturn:
    message = "was deleted, or its retention has ended"
    errors = [FieldError(pointer, "file_expired", message)]
    raise ServiceError("file_expired", f"{pointer}: the file {message}.", errors=errors)


def _title(filename: str) -> str:
    has_extension = filename.casefold().endswith(_EXTENSION)
    stem = filename[: -len(_EXTENSION)] if has_extension else filename
    return stem.strip()[:_MAX_TITLE_CHARACTERS]
