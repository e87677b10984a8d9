"""Checks of the uploads that a render uses: present and small enough."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from chalicelib.contract.options.assets import PageAsset, decoded_bytes, plain_path
from chalicelib.core.errors import (
    NotFound,
    RenderFailure,
    ServiceError,
    raise_all,
    validation_error,
)
from chalicelib.core.ids import WorkspaceId
from chalicelib.engine.job import Job, PageJob, PdfToolJob
from chalicelib.engine.pdf_tools.tool import MAX_SOURCE_BYTES, MAX_TOTAL_BYTES
from chalicelib.features.renders.run.jobs import referenced_uploads
from chalicelib.features.uploads.contents import UploadContents
from chalicelib.features.uploads.model import Upload
from chalicelib.features.uploads.read import ReadUploads
from chalicelib.features.workspaces.model import Workspace

_MEGABYTE: Final = 1_000_000
_MAX_HTML_BYTES: Final = 20_000_000
# In base64 they are 18.7 MB; `POST /v1/einvoices/validate` takes an XML of 20 MB.
_MAX_EMBEDDED_BYTES: Final = 14_000_000
# The output limit: a file with larger attachments would be refused.
_MAX_TOTAL_BYTES: Final = 100_000_000


def check_uploads(job: Job, workspace: Workspace, uploads: ReadUploads) -> None:
    """Check the uploads that a job names, and its assets; reads nothing if it names none.

    Raises `upload_not_found`, `conflict` if an upload has not arrived, or `validation_error`.
    """
    assets = job.assets if isinstance(job, PageJob) else ()
    raise_all(_path_errors(assets))
    ids_by_pointer = referenced_uploads(job)
    ready = uploads.get_ready(workspace.id, ids_by_pointer) if ids_by_pointer else {}
    max_bytes = workspace.plan.max_assets_mb * _MEGABYTE
    size_errors = _tool_size_errors if isinstance(job, PdfToolJob) else _size_errors
    raise_all((*_asset_size_errors(assets, ready, max_bytes), *size_errors(ready)))


def _path_errors(assets: Sequence[PageAsset]) -> Iterator[ServiceError]:
    numbers: dict[str, int] = {}
    for number, asset in enumerate(assets):
        first = numbers.setdefault(plain_path(asset.path), number)
        if first != number:
            message = f"is that of /input/assets/{first} too: leave one of both out"
            yield validation_error(f"/input/assets/{number}/path", message)


def _asset_size_errors(
    assets: Sequence[PageAsset], uploads: Mapping[str, Upload], max_bytes: int
) -> Iterator[ServiceError]:
    """Yield the error of the asset that makes all of them too large, if one does."""
    total = 0
    for number, asset in enumerate(assets):
        if asset.content is None:
            pointer = f"/input/assets/{number}/upload_id"
            total += uploads[pointer].bytes
        else:
            pointer = f"/input/assets/{number}/content"
            total += decoded_bytes(asset.content)
        if total > max_bytes:
            message = f"makes {total} bytes of assets; {max_bytes} are allowed together"
            yield validation_error(pointer, message, "too_large")
            return


def _size_errors(uploads: Mapping[str, Upload]) -> Iterator[ServiceError]:
    total = embedded = 0
    for pointer, upload in uploads.items():
        embedded_before, total_before = embedded, total
        if "/supporting_documents/" in pointer:
            embedded += upload.bytes
        if embedded_before <= _MAX_EMBEDDED_BYTES < embedded:
            message = f"makes {embedded} bytes; an e-invoice may embed {_MAX_EMBEDDED_BYTES}"
            yield validation_error(pointer, message, "too_large")
        is_html = pointer == "/input/upload_id"
        is_asset = pointer.startswith("/input/assets/")
        total += 0 if is_html or is_asset else upload.bytes
        if is_html and upload.bytes > _MAX_HTML_BYTES:
            message = f"has {upload.bytes} bytes; HTML may have {_MAX_HTML_BYTES}"
            yield validation_error(pointer, message, "too_large")
        if total_before <= _MAX_TOTAL_BYTES < total:
            message = f"makes {total} bytes of uploads; a file may carry {_MAX_TOTAL_BYTES}"
            yield validation_error(pointer, message, "too_large")


def _tool_size_errors(uploads: Mapping[str, Upload]) -> Iterator[ServiceError]:
    for pointer, upload in uploads.items():
        if upload.bytes > MAX_SOURCE_BYTES:
            message = f"has {upload.bytes} bytes; a source may have {MAX_SOURCE_BYTES}"
            yield validation_error(pointer, message, "too_large")
    total = sum(upload.bytes for upload in uploads.values())
    if total > MAX_TOTAL_BYTES:
        message = f"{total} bytes of uploads are named; {MAX_TOTAL_BYTES} are allowed together"
        yield validation_error(next(iter(uploads)), message, "too_large")


class ReadUploadedHtml(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Reader of uploaded HTML, for its includes."""

    uploads: ReadUploads
    contents: UploadContents

    def __call__(self, workspace_id: WorkspaceId, upload_id: str) -> str:
        """Return the text; empty if `check_uploads` or the render itself refuses the upload."""
        try:
            upload = self.uploads.get(workspace_id, upload_id)
            if upload.status != "ready" or upload.bytes > _MAX_HTML_BYTES:
                return ""
            return self.contents.get(workspace_id, upload.id).decode(errors="replace")
        except (NotFound, RenderFailure):
            return ""
