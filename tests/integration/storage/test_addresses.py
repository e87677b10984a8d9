"""Addresses of stores: where the settings lead, and what is not allowed."""

from collections.abc import Callable, Mapping
from socket import socket
from typing import Any, Final, override

import pytest

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.core.json import JsonObject
from chalicelib.engine.ports import HostUnreachableError
from chalicelib.features.destinations.model import StorageProvider
from chalicelib.features.destinations.outgoing import OpenStore, UploadFailedError
from chalicelib.features.destinations.providers.azure_blob import open_azure_blob
from chalicelib.features.destinations.providers.gcs import open_gcs
from chalicelib.features.destinations.providers.s3 import open_s3
from tests.builders.storage.files import storage_destination

pytestmark = pytest.mark.integration

KEYS: Final = {"access_key_id": "access", "secret_access_key": "secret"}


def elsewhere(address: str) -> GuardedEgress:
    return GuardedEgress(allow="", own_hosts=frozenset(), resolve=lambda *_: [address])


@pytest.mark.parametrize(
    ("endpoint", "address", "reason"),
    [
        ("https://store.example", "10.0.0.1", "private"),
        ("https://store.example:9000", "93.184.215.14", "ports"),
        ("http://store.example", "93.184.215.14", "https"),
        ("https://127.0.0.1", "", "private"),
    ],
)
def test_address_that_is_not_allowed_is_final(endpoint: str, address: str, reason: str) -> None:
    destination = storage_destination(
        "s3", endpoint=endpoint, region="us-east-1", bucket="archive", force_path_style=True
    )
    with (
        open_s3(elsewhere(address))(destination, KEYS, 5.0) as session,
        pytest.raises(UploadFailedError, match=reason) as failed,
    ):
        session.connect()

    assert (failed.value.code, failed.value.is_final) == ("url_not_allowed", True)


AWS: Final = {
    "endpoint": None,
    "region": "eu-central-1",
    "bucket": "archive",
    "force_path_style": False,
}


@pytest.mark.parametrize(
    ("changes", "host", "port"),
    [
        ({}, "archive.s3.eu-central-1.amazonaws.com", 443),
        ({"region": "cn-north-1"}, "archive.s3.cn-north-1.amazonaws.com.cn", 443),
        ({"force_path_style": True}, "s3.eu-central-1.amazonaws.com", 443),
        ({"bucket": "my.archive"}, "s3.eu-central-1.amazonaws.com", 443),
        ({"endpoint": "https://minio.example:8443/"}, "archive.minio.example", 8443),
        ({"endpoint": "https://192.0.2.1:8443"}, "192.0.2.1", 8443),
    ],
)
def test_s3_is_reached_where_its_settings_say(
    changes: dict[str, str | bool], host: str, port: int
) -> None:
    dialled = dialled_by(open_s3, "s3", AWS | changes, KEYS)

    assert dialled == [(host, port)]


def test_google_and_azure_have_addresses_of_their_own() -> None:
    google = dialled_by(lambda egress: open_gcs(egress, ""), "gcs", {"bucket": "archive"}, KEYS)
    azure = dialled_by(
        open_azure_blob,
        "azure_blob",
        {"account": "acme", "container": "archive", "endpoint": None},
        {"account_key": "a2V5"},
    )

    assert google == [("storage.googleapis.com", 443)]
    assert azure == [("acme.blob.core.windows.net", 443)]


def dialled_by(
    opener: Callable[[GuardedEgress], OpenStore],
    provider: StorageProvider,
    config: Mapping[str, str | bool | None],
    credentials: JsonObject,
) -> list[tuple[str, int]]:
    """Return what a session dials; nothing is really dialled."""
    dialled = []

    class Recorder(GuardedEgress):
        @override
        def connect(self, host: str, port: int, **_: Any) -> socket:
            dialled.append((host, port))
            raise HostUnreachableError

    egress = Recorder(allow="", own_hosts=frozenset())
    with (
        opener(egress)(storage_destination(provider, **config), credentials, 5.0) as session,
        pytest.raises(UploadFailedError),
    ):
        session.connect()
    return dialled
