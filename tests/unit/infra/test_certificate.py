"""Certificate of the service's TLS: which files are taken, and when they are read again."""

from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from infra.serve.certificate import Certificate, CertificateError
from tests.builders.pages.certificates import certificates


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """Give files of a certificate and of its key."""
    return split(tmp_path, tmp_path)


def split(folder: Path, target: Path) -> tuple[Path, Path]:
    """Write a new certificate and its key over two files of `target`."""
    pem = certificates(made(folder)).server_file.read_text()
    at = pem.index("-----BEGIN CERTIFICATE")
    chain, key = target / "chain.pem", target / "key.pem"
    chain.write_text(pem[at:])
    key.write_text(pem[:at])
    return chain, key


def made(folder: Path) -> Path:
    """Return a folder that is there."""
    folder.mkdir(exist_ok=True)
    return folder


def test_one_file_may_hold_both(tmp_path: Path) -> None:
    file = certificates(tmp_path).server_file
    assert Certificate(file, file).context.minimum_version.name == "TLSv1_2"


def encrypted(_chain: Path, key: Path) -> None:
    pem = serialization.load_pem_private_key(key.read_bytes(), None).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(b"secret"),
    )
    key.write_bytes(pem)


def other_key(_chain: Path, key: Path) -> None:
    key.write_bytes(
        ec.generate_private_key(ec.SECP256R1()).private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )


def no_key(_chain: Path, key: Path) -> None:
    key.unlink()


def no_pem(chain: Path, _key: Path) -> None:
    chain.write_text("not a certificate")


def a_folder(chain: Path, _key: Path) -> None:
    chain.unlink()
    chain.mkdir()


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (encrypted, "encrypted"),
        (other_key, "the key is not that of the certificate"),
        (no_key, "No such file"),
        (no_pem, "PEM"),
        (a_folder, "Is a directory"),
    ],
)
def test_files_that_are_no_pair_are_refused(
    pair: tuple[Path, Path], spoil: Callable[[Path, Path], None], reason: str
) -> None:
    spoil(*pair)

    with pytest.raises(CertificateError, match=reason) as refused:
        Certificate(*pair)
    assert str(pair[0]) in str(refused.value) or str(pair[1]) in str(refused.value)


def test_files_are_read_again_once_they_stay_the_same(
    pair: tuple[Path, Path], tmp_path: Path
) -> None:
    certificate = Certificate(*pair)
    first = certificate.context
    assert not certificate.refresh()

    split(tmp_path / "new", tmp_path)

    assert [certificate.refresh() for _ in range(3)] == [False, True, False]
    assert certificate.context is not first


def test_a_broken_replacement_is_told_once_and_changes_nothing(pair: tuple[Path, Path]) -> None:
    certificate = Certificate(*pair)
    first = certificate.context
    other_key(*pair)

    assert not certificate.refresh()
    with pytest.raises(CertificateError):
        certificate.refresh()
    assert not certificate.refresh()
    assert certificate.context is first


def test_a_link_that_leads_elsewhere_is_a_change(tmp_path: Path) -> None:
    files = [
        certificates(folder).server_file for folder in (made(tmp_path / "a"), made(tmp_path / "b"))
    ]
    link = tmp_path / "live.pem"
    link.symlink_to(files[0])
    certificate = Certificate(link, link)

    (tmp_path / "next").symlink_to(files[1])
    (tmp_path / "next").replace(link)

    assert [certificate.refresh() for _ in range(2)] == [False, True]
