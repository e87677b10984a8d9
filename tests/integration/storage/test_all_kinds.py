"""Sessions with real stores: what holds for each kind."""

import tracemalloc
from hashlib import sha256
from typing import Final

import pytest

from chalicelib.features.destinations.outgoing import UploadFailedError
from tests.builders.storage.files import large_file, outgoing_file, sha256_of_large_file
from tests.builders.storage.real_stores import RealStore
from tests.builders.waiting import PATIENCE_S
from tests.integration.storage.conftest import KINDS

pytestmark = pytest.mark.integration

LARGE_MIB: Final = 100
ODD_KEYS: Final = (
    "a/b c/ä ö.pdf",
    "请/报告 №1.pdf",
    "100% & more?=#+;,@!$'()*~^|<>{}[]`\".pdf",
    "%41%2F.pdf",
    "x" * 200 + ".pdf",
)
every_kind = pytest.mark.parametrize("store", KINDS, indirect=True)
# Google's emulator checks no signature.
every_checking_kind = pytest.mark.parametrize(
    "store", [kind for kind in KINDS if kind != "gcs"], indirect=True
)


@every_kind
def test_file_arrives_with_its_type_and_is_replaced_and_deleted(store: RealStore) -> None:
    with store.open(store.destination, store.credentials, PATIENCE_S) as session:
        session.connect()
        first_tag = session.put(outgoing_file("invoices/2026/1.pdf", b"first"))
        first = store.read("invoices/2026/1.pdf")
        second_tag = session.put(outgoing_file("invoices/2026/1.pdf", b"second, longer", "a/b"))
        second = store.read("invoices/2026/1.pdf")
        session.delete("invoices/2026/1.pdf")

    assert first is not None
    assert first.content == b"first"
    assert first.content_type in {"application/pdf", None}
    assert second is not None
    assert second.content == b"second, longer"
    assert second.content_type in {"a/b", None}
    assert (first_tag, second_tag) == (first.etag, second.etag)
    assert store.read("invoices/2026/1.pdf") is None


@every_kind
@pytest.mark.parametrize("key", ODD_KEYS)
def test_key_arrives_as_it_is(store: RealStore, key: str) -> None:
    with store.open(store.destination, store.credentials, PATIENCE_S) as session:
        session.put(outgoing_file(key, key.encode()))

    found = store.read(key)
    assert found is not None
    assert found.content == key.encode()


@every_kind
def test_absent_file_counts_as_deleted(store: RealStore) -> None:
    with store.open(store.destination, store.credentials, PATIENCE_S) as session:
        session.delete("never/there.pdf")


@every_kind
def test_empty_file_is_stored(store: RealStore) -> None:
    with store.open(store.destination, store.credentials, PATIENCE_S) as session:
        session.put(outgoing_file("empty.txt", b""))

    found = store.read("empty.txt")
    assert found is not None
    assert found.content == b""


@every_kind
def test_memory_stays_flat_with_a_large_file(store: RealStore) -> None:
    digest = sha256_of_large_file(LARGE_MIB)

    with store.open(store.destination, store.credentials, 120.0) as session:
        # What is imported for the first file is no part of the measure.
        session.put(outgoing_file("first.pdf"))
        tracemalloc.start()
        session.put(large_file("large.zip", LARGE_MIB, digest))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()

    assert peak < (LARGE_MIB << 20) // 2
    found = store.read("large.zip")
    assert found is not None
    assert sha256(found.content).hexdigest() == digest


@every_checking_kind
def test_wrong_credentials_are_denied_for_good(store: RealStore) -> None:
    with (
        store.open(store.destination, store.wrong_credentials, PATIENCE_S) as session,
        pytest.raises(UploadFailedError) as failed,
    ):
        session.put(outgoing_file("denied.pdf"))

    assert failed.value.code == "storage_denied"
    assert failed.value.is_final
    assert "credentials" in str(failed.value)
    assert store.read("denied.pdf") is None


@pytest.mark.parametrize(
    "store", [kind for kind in KINDS if kind != "sftp"], indirect=True, ids=str
)
def test_missing_bucket_is_not_found(store: RealStore) -> None:
    elsewhere = store.elsewhere(bucket="missing-one", container="missing-one")

    with (
        store.open(elsewhere, store.credentials, PATIENCE_S) as session,
        pytest.raises(UploadFailedError) as failed,
    ):
        session.put(outgoing_file("a.pdf"))

    assert (failed.value.code, failed.value.status) == ("storage_not_found", 404)
    assert failed.value.is_final


@pytest.mark.parametrize("store", ["s3"], indirect=True)
def test_store_refuses_bytes_of_another_hash(store: RealStore) -> None:
    altered = outgoing_file("altered.pdf", b"right")._replace(sha256=sha256(b"other").hexdigest())

    with (
        store.open(store.destination, store.credentials, PATIENCE_S) as session,
        pytest.raises(UploadFailedError) as failed,
    ):
        session.put(altered)

    assert failed.value.code == "storage_rejected"
    assert store.read("altered.pdf") is None
