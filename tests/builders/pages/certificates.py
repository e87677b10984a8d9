"""A certificate authority and a server certificate of it, by default for 127.0.0.1."""

import datetime as dt
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

_NOW = dt.datetime.now(dt.UTC)
_ENDS_AT = _NOW + dt.timedelta(days=30)


@dataclass(frozen=True)
class Certificates:
    """TLS context of a server, the file that it was read from, and the CA that it is trusted by."""

    server: ssl.SSLContext
    server_file: Path
    ca_file: Path


def certificates(
    folder: Path,
    addresses: Sequence[str] = ("127.0.0.1",),
    names: Sequence[str] = (),
    *,
    expired: bool = False,
) -> Certificates:
    """Write the authority's and the server's certificates into a folder."""
    authority_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    authority = _builder("authority", "authority", authority_key.public_key()).add_extension(
        x509.BasicConstraints(ca=True, path_length=None), critical=True
    )
    may_sign = x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=True,
        crl_sign=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
    signed = authority.add_extension(may_sign, critical=True).sign(authority_key, hashes.SHA256())
    alt_names = x509.SubjectAlternativeName(
        [
            *(x509.IPAddress(ip_address(address)) for address in addresses),
            *(x509.DNSName(name) for name in names),
        ]
    )
    identifier = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key())
    ends_at = _NOW - dt.timedelta(hours=1) if expired else _ENDS_AT
    certificate = (
        _builder("127.0.0.1", "authority", key.public_key(), ends_at)
        .add_extension(alt_names, critical=False)
        .add_extension(identifier, critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    server_file = folder / "server.pem"
    server_file.write_bytes(private + certificate.public_bytes(pem))
    (folder / "authority.pem").write_bytes(signed.public_bytes(pem))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(server_file)
    return Certificates(context, server_file, folder / "authority.pem")


def _builder(
    subject: str,
    issuer: str,
    public_key: ec.EllipticCurvePublicKey,
    ends_at: dt.datetime = _ENDS_AT,
) -> x509.CertificateBuilder:
    own = x509.SubjectKeyIdentifier.from_public_key(public_key)
    return (
        x509.CertificateBuilder()
        .subject_name(_name(subject))
        .issuer_name(_name(issuer))
        .public_key(public_key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(_NOW - dt.timedelta(days=1))
        .not_valid_after(ends_at)
        .add_extension(own, critical=False)
    )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])
