"""Writes the certificates of a PEM file into a new NSS database, as authorities.

Run as a script, so that whatever the native libraries do stays in a process of its own:
`python nss.py <folder of the libraries> <PEM file> <folder of the database>`. Standard library
only.
"""

import ctypes
import re
import sys
from binascii import Error, a2b_base64
from pathlib import Path
from typing import Any, Final

_PEM: Final = re.compile(
    r"-----BEGIN CERTIFICATE-----\s(.*?)\s-----END CERTIFICATE-----", re.DOTALL
)
# In the order in which they need each other.
_LIBRARIES: Final = ("libnspr4.so", "libplc4.so", "libplds4.so", "libnssutil3.so", "libnss3.so")
# CERTDB_VALID_CA and CERTDB_TRUSTED_CA.
_TRUSTED_CA: Final = 1 << 3 | 1 << 4


class _SecItem(ctypes.Structure):
    """SECItem."""

    _fields_ = (("type", ctypes.c_int), ("data", ctypes.c_char_p), ("length", ctypes.c_uint))


class _CertTrust(ctypes.Structure):
    """CERTCertTrust: for TLS, for mail, for code."""

    _fields_ = (("tls", ctypes.c_uint), ("mail", ctypes.c_uint), ("code", ctypes.c_uint))


def main(libraries: Path, ca_bundle: Path, target: Path) -> int:
    """Write the database; return 1 where that cannot be done."""
    nss = _load_nss(libraries)
    if nss.NSS_InitReadWrite(f"sql:{target}".encode()) != 0:
        return 1
    slot = ctypes.c_void_p(nss.PK11_GetInternalKeySlot())
    nss.PK11_InitPin(slot, None, None)
    database = ctypes.c_void_p(nss.CERT_GetDefaultCertDB())
    for number, content in enumerate(_certificates(ca_bundle)):
        item = _SecItem(0, content, len(content))
        made = nss.CERT_NewTempCertificate(database, ctypes.byref(item), None, 0, 1)
        certificate = ctypes.c_void_p(made)
        # What cannot be read vouches for nobody.
        if made and nss.PK11_ImportCert(slot, certificate, 0, f"{number}".encode(), 0) == 0:
            trust = _CertTrust(_TRUSTED_CA, 0, 0)
            nss.CERT_ChangeCertTrust(database, certificate, ctypes.byref(trust))
    return 0


def _load_nss(folder: Path) -> Any:
    loaded = [ctypes.CDLL(str(folder / name), mode=ctypes.RTLD_GLOBAL) for name in _LIBRARIES]
    nss = loaded[-1]
    for name in ("PK11_GetInternalKeySlot", "CERT_GetDefaultCertDB", "CERT_NewTempCertificate"):
        getattr(nss, name).restype = ctypes.c_void_p
    return nss


def _certificates(ca_bundle: Path) -> list[bytes]:
    found = []
    for text in _PEM.findall(ca_bundle.read_text(encoding="utf-8", errors="replace")):
        try:
            found.append(a2b_base64(text))
        except (Error, ValueError):
            continue
    return found


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
