"""Secrets of workspaces that must be read back, sealed with data keys of KMS (decision 29)."""

import base64
import datetime as dt
import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

from chalicelib.core import json

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    from chalicelib.adapters.aws.session import AwsClients
    from chalicelib.core.clock import Clock
    from chalicelib.core.ids import WorkspaceId

# An opened secret outlives the loss of its key for this long.
CACHE_TIME: Final = dt.timedelta(minutes=5)
MAX_CACHED_SECRETS: Final = 1_000

_VERSION: Final = "v1"
_LENGTH_BYTES: Final = 2
_NONCE_BYTES: Final = 12
_TAG_BYTES: Final = 16
_MAX_WRAPPED_KEY_BYTES: Final = 6_144  # of a ciphertext that KMS takes
_UNUSABLE_KEY_CODES: Final = {
    "AccessDeniedException",  # also of Decrypt for a key that is gone
    "DisabledException",
    "KMSInvalidStateException",
    "NotFoundException",
}


class SealContext(NamedTuple):
    """Place of a secret: ids of workspace and object, name of the field.

    A sealed value opens in its own place only. CloudTrail shows the place in clear text.
    """

    workspace: "WorkspaceId"
    object: str
    field: str


class SealBrokenError(Exception):
    """The sealed value is cut, altered, of another place or an unknown version: it never opens."""


class KeyUnavailableError(Exception):
    """The KMS key is gone, disabled or not granted; an operator may be able to mend that."""


class SecretSealer:
    """Sealing and opening of secrets with one KMS key; opened secrets are cached for minutes.

    Transient errors of KMS are raised as they are (`transient_errors.is_transient`).
    """

    def __init__(self, clients: "AwsClients", key: str, clock: "Clock") -> None:
        """Seal with the KMS key of this id or ARN; nothing is called yet."""
        self._clients = clients
        self._key = key
        self._opened = _OpenedSecrets(clock)

    def seal(self, secret: bytes | str, context: SealContext) -> str:
        """Return the secret sealed for its place, as text of `A-Z a-z 0-9 - _ .`.

        Calls KMS once. Two seals of one secret differ. Raises KeyUnavailableError.
        """
        plaintext = secret.encode() if isinstance(secret, str) else secret
        with _kms_errors():
            data_key = self._clients.kms.generate_data_key(
                KeyId=self._key, KeySpec="AES_256", EncryptionContext=_encryption_context(context)
            )
        # A key that is used once could do with any nonce; a random one needs no proof of that.
        nonce = secrets.token_bytes(_NONCE_BYTES)
        ciphertext = _cipher(data_key["Plaintext"]).encrypt(
            nonce, plaintext, _associated_data(context)
        )
        return _Sealed(data_key["CiphertextBlob"], nonce, ciphertext).to_text()

    def open(self, sealed: str, context: SealContext) -> bytes:
        """Return the secret of a sealed value in its place.

        Calls KMS once unless this process opened the same value in the last minutes. Raises
        SealBrokenError or KeyUnavailableError.
        """
        secret = self._opened.get(sealed, context)
        if secret is None:
            secret = self._decrypt(_Sealed.from_text(sealed), context)
            self._opened.put(sealed, context, secret)
        return secret

    def _decrypt(self, sealed: "_Sealed", context: SealContext) -> bytes:
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 -- heavy

        # The ciphertext names its key. Naming ours as well would lock out what another sealed.
        with _kms_errors():
            data_key = self._clients.kms.decrypt(
                CiphertextBlob=sealed.wrapped_key, EncryptionContext=_encryption_context(context)
            )
        cipher = _cipher(data_key["Plaintext"])
        try:
            return cipher.decrypt(sealed.nonce, sealed.ciphertext, _associated_data(context))
        except InvalidTag as error:
            raise SealBrokenError("The sealed value was altered or moved.") from error


class _Sealed(NamedTuple):
    """Parts of a sealed value: the data key as KMS encrypted it, nonce, ciphertext with tag."""

    wrapped_key: bytes
    nonce: bytes
    ciphertext: bytes

    def to_text(self) -> str:
        """Return the text: version, dot, and base64url of the parts behind the key's length."""
        length = len(self.wrapped_key).to_bytes(_LENGTH_BYTES)
        return f"{_VERSION}.{_base64url(length + b''.join(self))}"

    @classmethod
    def from_text(cls, text: str) -> "_Sealed":
        """Return the parts of a text, which is the only one of these parts.

        Raises SealBrokenError.
        """
        version, _, body = text.partition(".")
        if version != _VERSION:
            raise SealBrokenError("The sealed value has an unknown version.")
        try:
            data = base64.b64decode(body + "=" * (-len(body) % 4), altchars="-_")
        except ValueError as error:
            raise SealBrokenError("The sealed value is not base64url.") from error
        key_end = _LENGTH_BYTES + int.from_bytes(data[:_LENGTH_BYTES])
        parts = cls(
            data[_LENGTH_BYTES:key_end],
            data[key_end : key_end + _NONCE_BYTES],
            data[key_end + _NONCE_BYTES :],
        )
        is_key_possible = 0 < len(parts.wrapped_key) <= _MAX_WRAPPED_KEY_BYTES
        is_whole = is_key_possible and len(parts.ciphertext) >= _TAG_BYTES
        # The decoder skips some characters and drops bits: other texts could give the same parts.
        if not is_whole or parts.to_text() != text:
            raise SealBrokenError("The sealed value was cut or altered.")
        return parts


class _OpenedSecret:
    """One opened secret; no dataclass, whose repr would show it."""

    __slots__ = ("opened_at", "secret")

    def __init__(self, secret: bytes, opened_at: dt.datetime) -> None:
        self.secret = secret
        self.opened_at = opened_at


class _OpenedSecrets:
    """LRU cache of opened secrets by sealed value and place; safe for threads."""

    def __init__(self, clock: "Clock") -> None:
        self._clock = clock
        self._entries: OrderedDict[tuple[str, SealContext], _OpenedSecret] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, sealed: str, context: SealContext) -> bytes | None:
        now = self._clock.now()
        with self._lock:
            entry = self._entries.get((sealed, context))
            # An entry of the future is one of a clock that was set back.
            if entry is None or not entry.opened_at <= now < entry.opened_at + CACHE_TIME:
                self._entries.pop((sealed, context), None)
                return None
            self._entries.move_to_end((sealed, context))
            return entry.secret

    def put(self, sealed: str, context: SealContext, secret: bytes) -> None:
        entry = _OpenedSecret(secret, self._clock.now())
        with self._lock:
            self._entries[sealed, context] = entry
            self._entries.move_to_end((sealed, context))
            if len(self._entries) > MAX_CACHED_SECRETS:
                self._entries.popitem(last=False)


def _encryption_context(context: SealContext) -> dict[str, str]:
    assert all(context), "a place without an id is no place"
    return context._asdict()


def _associated_data(context: SealContext) -> bytes:
    return json.canonical_bytes([_VERSION, *context])


def _cipher(data_key: bytes) -> "AESGCM":
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 -- heavy

    return AESGCM(data_key)


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@contextmanager
def _kms_errors() -> Iterator[None]:
    """Raise SealBrokenError or KeyUnavailableError for the errors of KMS that mean them."""
    from botocore.exceptions import ClientError  # noqa: PLC0415 -- heavy

    try:
        yield
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code")
        if code == "InvalidCiphertextException":
            raise SealBrokenError("The sealed value was altered or moved.") from error
        if code in _UNUSABLE_KEY_CODES:
            raise KeyUnavailableError("The KMS key of the sealed value cannot be used.") from error
        raise
