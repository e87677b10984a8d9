"""Files of earlier renders that a PDF tool reads."""

from collections.abc import Mapping
from copy import replace
from itertools import batched
from typing import Final

import msgspec

from chalicelib.adapters.aws.table import BATCH_GET_LIMIT
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.errors import FieldError, NotFound, ServiceError, validation_error
from chalicelib.core.ids import FileId, RenderId, is_id
from chalicelib.engine.job import PdfToolJob
from chalicelib.engine.pdf_tools.tool import MAX_SOURCE_BYTES
from chalicelib.features.files.repository import FileRecord, Files
from chalicelib.features.renders.accept.command import RenderCommand
from chalicelib.features.renders.read import Viewer
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.run.jobs import referenced_files

_NOT_FOUND: Final = "is no file of a render that this key may read"


class ResolveSourceFiles(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Resolver that puts the object keys of files into the job of a command."""

    files: Files
    renders: Renders
    clock: Clock

    def __call__(self, command: RenderCommand) -> RenderCommand:
        """Return the command with the keys of the files that its job names.

        Raises `not_found`, `file_expired`, or `validation_error` for a file that is no PDF or too
        large. Reads nothing if the job names none.
        """
        job = command.job
        named = referenced_files(job)
        if not isinstance(job, PdfToolJob) or not named:
            return command
        viewer = Viewer(command.workspace.id, command.key_mode, command.key_allowlist)
        records = self._visible(viewer, set(named.values()))
        for pointer, file_id in named.items():
            self._check(pointer, records.get(FileId(file_id)))
        keys = {str(file_id): record.file.key for file_id, record in records.items()}
        return replace(command, job=replace(job, file_keys=keys))

    def _visible(self, viewer: Viewer, ids: set[str]) -> Mapping[FileId, FileRecord]:
        """Return the records of those files whose renders the viewer may see."""
        wanted = sorted(FileId(each) for each in ids if is_id("file", each))
        records = [
            record
            for some in batched(wanted, BATCH_GET_LIMIT, strict=False)
            for record in self.files.records(some)
            if record.owner.workspace_id == viewer.workspace_id
        ]
        owners = sorted({record.owner.render_id for record in records})
        visible: set[RenderId] = {
            render.id
            for some in batched(owners, BATCH_GET_LIMIT, strict=False)
            for render in self.renders.get_many(viewer.workspace_id, some)
            if viewer.may_see(render)
        }
        return {record.file.id: record for record in records if record.owner.render_id in visible}

    def _check(self, pointer: str, record: FileRecord | None) -> None:
        if record is None:
            errors = [FieldError(pointer, "not_found", _NOT_FOUND)]
            raise NotFound("not_found", f"{pointer}: {_NOT_FOUND}.", errors=errors)
        file = record.file
        is_expired = file.expires_at is None or file.expires_at <= format_rfc3339(self.clock.now())
        if record.is_purged or is_expired:
            message = "was deleted, or its retention has ended"
            errors = [FieldError(pointer, "file_expired", message)]
            raise ServiceError("file_expired", f"{pointer}: the file {message}.", errors=errors)
        if file.format != "pdf":
            raise validation_error(pointer, f"is a {file.format}, and no PDF", "not_allowed")
        if file.bytes > MAX_SOURCE_BYTES:
            message = f"has {file.bytes} bytes; a source may have {MAX_SOURCE_BYTES}"
            raise validation_error(pointer, message, "too_large")
