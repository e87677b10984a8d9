"""Multipart form of a Gotenberg route: texts by name, and files."""

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final

from chalicelib.api.edge.endpoint import Call
from chalicelib.api.edge.request_body import MULTIPART_TYPE, FormFile, form_parts
from chalicelib.core.errors import ServiceError, validation_error

_MAX_PARTS: Final = 200
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
        self.fields: dict[str, str] = {}
        self.files: dict[str, FormFile] = {}
        self.embeds: list[FormFile] = []
        for part in form_parts(call, _MAX_PARTS):
            if part.filename:
                self._add_file(part.name, part.filename, part.content_type, part.raw)
            elif part.value:
                self.fields[part.name] = part.value

    def text_file(self, name: str) -> str | None:
        """Return the text of a file, or None where it is absent; raises `validation_error`."""
        file = self.files.get(name)
        if file is None:
            return None
        try:
            return file.content.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise validation_error("/files", f"{name} must be UTF-8") from None

    def required_text_file(self, name: str) -> str:
        """Return the text of a file; raises `validation_error` where it is absent."""
        text = self.text_file(name)
        if text is None:
            raise validation_error(
                "/files", f"form file {name!r} is required: its filename must be {name}", "missing"
            )
        return text

    def files_beside(self, *names: str) -> Sequence[FormFile]:
        """Return the files but those of these names."""
        return [file for name, file in self.files.items() if name not in names]

    def _add_file(self, field: str, filename: str, content_type: str, content: bytes) -> None:
        name = PurePosixPath(filename.replace("\\", "/")).name
        file = FormFile(name, content_type, content)
        if field == _EMBEDS:
            self.embeds.append(file)
        else:
            self.files[name] = file
