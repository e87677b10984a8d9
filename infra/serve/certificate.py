"""Certificate of the service's own TLS, in files that are read again when they change."""

import ssl
from pathlib import Path
from typing import Final, NoReturn

# OpenSSL's names of faults, and what they mean here.
_REASONS: Final = {
    "KEY_VALUES_MISMATCH": "the key is not that of the certificate",
    "NO_START_LINE": "it holds no certificate and key in the form PEM",
    "BAD_BASE64_DECODE": "its PEM is damaged",
}

type _Marks = tuple[tuple[int, int, int], ...]


class CertificateError(Exception):
    """The files hold no certificate with its key; the message names them and the reason."""


class Certificate:
    """Chain of certificates and its key; `context` is that of the newest whole pair of files."""

    def __init__(self, chain: Path, key: Path) -> None:
        """Read the files, which may be one; raises CertificateError."""
        self._chain = chain
        self._key = key
        self._seen = self._loaded = self._marks()
        self.context = self._read()

    def refresh(self) -> bool:
        """Read the files again if they have changed, and tell whether they were read.

        They are read once they stay the same between two calls: the two are not replaced at one
        moment. Raises CertificateError for a fault, once for each state of the files; the context
        is then the former one.
        """
        marks = self._marks()
        is_steady, self._seen = marks == self._seen, marks
        if not is_steady or marks == self._loaded:
            return False
        self._loaded = marks
        self.context = self._read()
        return True

    def _marks(self) -> _Marks:
        return tuple(_mark(path) for path in (self._chain, self._key))

    def _read(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.set_alpn_protocols(["http/1.1"])
        for path in (self._chain, self._key):
            self._check_readable(path)
        try:
            context.load_cert_chain(self._chain, self._key, password=_refuse_password)
        except ssl.SSLError as fault:
            # Without a name it is a fault of the form PEM.
            reason = _REASONS.get(fault.reason or "NO_START_LINE", str(fault))
            message = f"certificate {self._chain} with key {self._key}: {reason}"
            raise CertificateError(message) from fault
        except _EncryptedError:
            message = f"key {self._key} is encrypted: give one without a password"
            raise CertificateError(message) from None
        return context

    @staticmethod
    def _check_readable(path: Path) -> None:
        try:
            path.open("rb").close()
        except OSError as fault:
            message = f"{path}, a file of the TLS certificate: {fault.strerror}"
            raise CertificateError(message) from fault


class _EncryptedError(Exception):
    """The key needs a password, which OpenSSL would ask for at the terminal."""


def _refuse_password() -> NoReturn:
    raise _EncryptedError


def _mark(path: Path) -> tuple[int, int, int]:
    try:
        status = path.stat()
    except OSError:
        return 0, 0, 0
    return status.st_ino, status.st_size, status.st_mtime_ns
