"""Pictures of a comparison: files for an hour, of no render."""

import datetime as dt
import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from itertools import batched
from typing import Final

import msgspec

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.table import TRANSACTION_LIMIT, Table
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.ids import FileId, IdGenerator, RenderId, WorkspaceId
from chalicelib.core.text import safe_filename
from chalicelib.engine.context import RenderedFile
from chalicelib.features.files.model import StoredFile
from chalicelib.features.files.repository import FileOwner, Files
from chalicelib.features.renders.run.bodies import engine_folder

FILES_LIVE: Final = dt.timedelta(hours=1)
_NAME: Final = "comparison"


class ComparisonFiles(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Store of pictures.

    Each record is due by itself. Maintenance finds no render of it, and deletes its object with it.
    """

    table: Table
    files: Files
    objects: Objects
    clock: Clock
    ids: IdGenerator

    def store(
        self, workspace_id: WorkspaceId, comparison_id: RenderId, pictures: Sequence[RenderedFile]
    ) -> tuple[StoredFile, ...]:
        """Store all pictures, and return them in their order."""
        expires_at = format_rfc3339(self.clock.now() + FILES_LIVE)
        # An object whose record is lost in a crash ends by the lifecycle of this folder.
        folder = engine_folder(workspace_id, comparison_id)
        stored = [
            self._file(each, f"{folder}/{number}.{each.format}", expires_at)
            for number, each in enumerate(pictures, 1)
        ]
        with ThreadPoolExecutor() as pool:
            tasks = [
                pool.submit(copy_context().run, self._put, file, each.content)
                for file, each in zip(stored, pictures, strict=True)
            ]
        for task in tasks:
            task.result()
        owner = FileOwner(workspace_id, comparison_id)
        records = [write for file in stored for write in self.files.creations([file], owner)]
        for some in batched(records, TRANSACTION_LIMIT, strict=False):
            self.table.transact(some)
        return tuple(stored)

    def _file(self, picture: RenderedFile, key: str, expires_at: str) -> StoredFile:
        return StoredFile(
            id=FileId(self.ids.new("file", self.clock.now())),
            format=picture.format,
            filename=safe_filename(
                None, fallback=_NAME, extension=picture.format, part=picture.part
            ),
            content_type=picture.content_type,
            bytes=len(picture.content),
            sha256=hashlib.sha256(picture.content).hexdigest(),
            pages=None,
            width=picture.width,
            height=picture.height,
            expires_at=expires_at,
            key=key,
            part=picture.part,
        )

    def _put(self, file: StoredFile, content: bytes) -> None:
        digest = bytes.fromhex(file.sha256)
        self.objects.put(file.key, content, content_type=file.content_type, sha256=digest)
