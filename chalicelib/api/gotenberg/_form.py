"""Multipart form of a Gotenberg route: texts by name, and files."""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from chalicelib.api.edge.endpoint import Call
from chalicelib.api.edge.request_body import MULTIPART_TYPE, FormFile, form_parts
from chalicelib.core import json
from chalicelib.core.errors import NotFound, ServiceError, validation_error
from chalicelib.core.json import Json
from chalicelib.features.uploads.model import Upload

if TYPE_CHECKING:
    from multipart import MultipartPart

_MAX_PARTS: Final = 200
# Of a part whose content is that of an upload of the workspace.
_UPLOAD_HEADER: Final = "Platen-Upload-Id"
_MEGABYTE: Final = 1_000_000
# The field of files to embed in the PDF.
_EMBEDS: Final = "embeds"


class GotenbergForm:
    """Fields and files of one request.

    An empty field counts as absent, as in Gotenberg. Folders of file names are left out: all files
    lie beside `index.html`.
    """

    def __init__(self, call: Call) -> None:
        """Read the form; raises `validation_error` or `unsupported_media_type`."""
        if not call.headers.get("content-type", "").lower().startswith(MULTIPART_TYPE):
            raise ServiceError("unsupported_media_type", f"{MULTIPART_TYPE} is expected here.")
        self._call = call
        self.fields: dict[str, str] = {}
        self.files: dict[str, FormFile] = {}
        self.embeds: list[FormFile] = []
        self._read_bytes = 0
        for part in form_parts(call, _MAX_PARTS):
            if part.filename:
                self._add_file(part.name, _file(part, part.filename))
            elif part.value:
                self.fields[part.name] = part.value

    def text_file(self, name: str) -> str | None:
        """Return the text of a file, or None where it is absent; raises `validation_error`."""
        file = self.files.get(name)
        if file is None:
            return None
        content = file.content if file.upload_id is None else self._content(name, file.upload_id)
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise validation_error("/files", f"{name} must be UTF-8") from None

    def required_file(self, name: str) -> FormFile:
        """Return a file; raises `validation_error` where it is absent."""
        file = self.files.get(name)
        if file is None:
            raise validation_error(
                "/files", f"form file {name!r} is required: its filename must be {name}", "missing"
            )
        return file

    def required_text_file(self, name: str) -> str:
        """Return the text of a file; raises `validation_error` where it is absent."""
        self.required_file(name)
        return self.text_file(name) or ""

    def files_beside(self, *names: str) -> Sequence[FormFile]:
        """Return the files but those of these names."""
        return [file for name, file in self.files.items() if name not in names]

    def with_hashes(self, body: Mapping[str, object]) -> Json:
        """Return a request with the hashes of its uploads in place of their ids.

        A repeat of the form has new uploads with the same hashes. Raises `upload_not_found`.
        """
        text = json.dumps(body)
        ids = [file.upload_id for file in (*self.files.values(), *self.embeds) if file.upload_id]
        for upload in self._uploads({f"/files/{each}": each for each in ids}).values():
            text = text.replace(upload.id, upload.sha256 or "")
        return json.loads(text.encode())

    def _uploads(self, ids: Mapping[str, str]) -> Mapping[str, Upload]:
        services, caller = self._call.services, self._call.caller
        return services.uploads.read.get_ready(caller.workspace_id, ids) if ids else {}

    def _add_file(self, field: str, file: FormFile) -> None:
        if field == _EMBEDS:
            self.embeds.append(file)
        else:
            self.files[file.filename] = file

    def _content(self, name: str, upload_id: str) -> bytes:
        """Return the bytes of an upload that is read as text.

        All of them together may have as much as a body: a form can name one upload many times.
        """
        upload = self._uploads({"/files": upload_id})["/files"]
        limit = self._call.caller.workspace.plan.max_payload_mb * _MEGABYTE
        self._read_bytes += upload.bytes
        if self._read_bytes > limit:
            message = (
                f"{name} makes {self._read_bytes} bytes of texts that are read here; {limit} are "
                "allowed together"
            )
            raise validation_error("/files", message, "too_large")
        content = self._call.services.state.objects.get(upload.key)
        if content is None:
            raise NotFound("upload_not_found", f"The upload {upload_id} is gone.")
        return content


def _file(part: "MultipartPart", filename: str) -> FormFile:
    name = PurePosixPath(filename.replace("\\", "/")).name
    return FormFile(name, part.content_type, part.raw, part.headers.get(_UPLOAD_HEADER))
