"""Signed URLs of files: created for the owner, valid for anyone while the workspace is active."""

import datetime as dt
import hashlib
import hmac
from collections.abc import Callable, Sequence
from typing import Final, Literal
from urllib.parse import quote, unquote

import msgspec

from chalicelib.adapters.aws.objects import Objects
from chalicelib.core.clock import Clock, parse_rfc3339
from chalicelib.core.errors import Forbidden, ServiceError
from chalicelib.core.ids import FileId, is_id
from chalicelib.core.text import content_disposition
from chalicelib.features.files.model import StoredFile
from chalicelib.features.files.repository import Files
from chalicelib.features.workspaces.model import require_active
from chalicelib.features.workspaces.repository import Workspaces

type Disposition = Literal["attachment", "inline"]

_PRESIGNED_URL_S: Final = 60
_MAX_EXP_DIGITS: Final = 12
# Types that a browser may run as scripts.
_ACTIVE_TYPES: Final = frozenset({"text/html", "application/xml", "text/xml", "image/svg+xml"})

_ALTERED: Final = "The address is altered: use it exactly as it was given."
# Only the holder of a URL that was valid once learns that it has expired.
_EXPIRED: Final = (
    "The address has expired: GET /v1/renders/{id} gives a new one, with the key of the workspace, "
    "and a render's `delivery.expires_in` says how long its addresses are valid."
)


class SignedFileUrls(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Signs and resolves `{files_host}/files/{file_id}/{filename}?exp=…&sig=…`.

    All `signing_keys` verify, and the first one signs. They are called only when a URL is signed or
    resolved.
    """

    files: Files
    workspaces: Workspaces
    objects: Objects
    clock: Clock
    files_host: str
    signing_keys: Callable[[], Sequence[bytes]]

    def signed_url(
        self, file: StoredFile, expires: dt.datetime, disposition: Disposition = "attachment"
    ) -> str:
        """Return the URL of a file, valid until `expires`."""
        return self.signed_url_of(file.id, file.filename, expires, disposition)

    def signed_url_of(
        self,
        file_id: FileId,
        filename: str,
        expires: dt.datetime,
        disposition: Disposition = "attachment",
    ) -> str:
        """Return the URL of the file with this id and name, valid until `expires`."""
        exp = str(int(expires.timestamp()))
        path = f"/files/{file_id}/{quote(filename, safe='')}"
        shown = _end_of_url(exp, disposition)
        sig = _signature(self.signing_keys()[0], file_id, filename, shown)
        return f"{self.files_host}{path}?exp={shown}&sig={sig}"

    def resolve(
        self, file_id: str, filename: str, exp: str, disposition: Disposition, sig: str
    ) -> str:
        """Return the presigned URL of the body, valid for a minute.

        `filename` may be percent-encoded or not: gateways differ in how they decode a path. Raises
        `invalid_signature` for an altered or expired URL, `file_expired` for a file that is
        purged or past its retention, and the codes of `require_active`.
        """
        names = (filename, unquote(filename))
        if not any(self._is_signed(file_id, name, (exp, disposition), sig) for name in names):
            raise Forbidden("invalid_signature", _ALTERED)
        if int(exp) <= self.clock.now().timestamp():
            raise Forbidden("invalid_signature", _EXPIRED)
        file = self._readable_file(FileId(file_id))
        # What a browser would run is never shown at the address of the files.
        is_active = file.content_type.partition(";")[0] in _ACTIVE_TYPES
        shown = "attachment" if is_active else disposition
        shown_as = content_disposition(file.filename, shown)
        return self.presigned_object_url(file.key, file.content_type, shown_as)

    def presigned_url(self, file: StoredFile) -> str:
        """Return the presigned URL of the body, valid for a minute."""
        return self.presigned_object_url(file.key, file.content_type, file.disposition)

    def presigned_object_url(self, key: str, content_type: str, disposition: str) -> str:
        """Return the presigned URL of an object, valid for a minute."""
        return self.objects.presigned_url(
            key, content_type=content_type, disposition=disposition, expires_s=_PRESIGNED_URL_S
        )

    def _readable_file(self, file_id: FileId) -> StoredFile:
        found = self.files.get(file_id)
        if found is not None and not self._is_expired(found[0]):
            file, workspace_id = found
            workspace = self.workspaces.get(workspace_id)
            if workspace is not None:
                require_active(workspace)
                return file
        raise ServiceError("file_expired", "The file was deleted or its retention has ended.")

    def _is_signed(
        self, file_id: str, filename: str, exp_and_disposition: tuple[str, Disposition], sig: str
    ) -> bool:
        exp, disposition = exp_and_disposition
        if not (is_id("file", file_id) and exp.isascii() and exp.isdigit()):
            return False
        if len(exp) > _MAX_EXP_DIGITS:
            return False
        shown = _end_of_url(exp, disposition)
        valid = (_signature(key, file_id, filename, shown) for key in self.signing_keys())
        return any(hmac.compare_digest(sig.encode(), each.encode()) for each in valid)

    def _is_expired(self, file: StoredFile) -> bool:
        return file.expires_at is not None and parse_rfc3339(file.expires_at) <= self.clock.now()


def _end_of_url(exp: str, disposition: Disposition) -> str:
    """Return the end of a URL with its disposition, as both are signed."""
    return f"{exp}&disposition=inline" if disposition == "inline" else exp


def _signature(key: bytes, file_id: str, filename: str, exp: str) -> str:
    message = f"file\0{file_id}\0{filename}\0{exp}".encode(errors="replace")
    return hmac.new(key, message, hashlib.sha256).hexdigest()
