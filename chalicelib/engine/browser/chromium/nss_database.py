"""NSS database writer: the certificates of a PEM file become trusted authorities.

Runs as a script, so that the native libraries stay in a separate process:
`python nss_database.py <library folder> <PEM file> <database folder>`. Standard library only.
"""

import ctypes
import re
import sys
from binascii import Error, a2b_base64
from pathlib import Path
from typing import Final

_PEM: Final = re.compile(
    r"-----BEGIN CERTIFICATE-----\s(.*?)\s-----END CERTIFICATE-----", re.DOTALL
)
# In load order: each one needs those before it.
_LIBRARIES: Final = ("libnspr4.so", "libplc4.so", "libplds4.so", "libnssutil3.so", "libnss3.so")
# CERTDB_VALID_CA | CERTDB_TRUSTED_CA.
_TRUSTED_CA: Final = 1 << 3 | 1 << 4


class _SecItem(ctypes.Structure):
    """C struct SECItem."""

    _fields_ = (("type", ctypes.c_int), ("data", ctypes.c_char_p), ("length", ctypes.c_uint))


class _CertTrust(ctypes.Structure):
    """C struct CERTCertTrust: flags for TLS, mail and code signing."""

    _fields_ = (("tls", ctypes.c_uint), ("mail", ctypes.c_uint), ("code", ctypes.c_uint))


def main(libraries: Path, ca_bundle: Path, target: Path) -> int:
    """Write the database to the folder `target`; return 1 when NSS cannot create it."""
    nss = _load_nss(libraries)
    if nss.NSS_InitReadWrite(f"sql:{target}".encode()) != 0:
        return 1
    slot = ctypes.c_void_p(nss.PK11_GetInternalKeySlot())
    nss.PK11_InitPin(slot, None, None)
    database = ctypes.c_void_p(nss.CERT_GetDefaultCertDB())
    for number, content in enumerate(_certificates(ca_bundle)):
        item = _SecItem(0, content, len(content))
        pointer = nss.CERT_NewTempCertificate(database, ctypes.byref(item), None, 0, 1)
        certificate = ctypes.c_void_p(pointer)
        # A certificate that NSS cannot parse is skipped: a bundle may hold unsupported ones.
        if pointer and nss.PK11_ImportCert(slot, certificate, 0, f"{number}".encode(), 0) == 0:
            trust = _CertTrust(_TRUSTED_CA, 0, 0)
            nss.CERT_ChangeCertTrust(database, certificate, ctypes.byref(trust))
    return 0


def _load_nss(folder: Path) -> ctypes.CDLL:
    loaded = [ctypes.CDLL(str(folder / name), mode=ctypes.RTLD_GLOBAL) for name in _LIBRARIES]
    nss = loaded[-1]
    # ctypes assumes int results, which would cut 64-bit pointers.
    for name in ("PK11_GetInternalKeySlot", "CERT_GetDefaultCertDB", "CERT_NewTempCertificate"):
        getattr(nss, name).restype = ctypes.c_void_p
    return nss


def _certificates(ca_bundle: Path) -> list[bytes]:
    certificates = []
    for text in _PEM.findall(ca_bundle.read_text(encoding="utf-8", errors="replace")):
        try:
            certificates.append(a2b_base64(text))
        except (Error, ValueError):
            continue
    return certificates


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
