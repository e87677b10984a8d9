"""Signatures in the query, against a server that checks each: Google's own emulator checks none."""

from typing import Final

import pytest

from chalicelib.adapters.aws.session import RequestSignature, SignatureDialect
from chalicelib.features.destinations.providers.http_store import object_url
from tests.builders.storage.files import egress_to
from tests.builders.storage.real_stores import BUCKET, s3_store
from tests.builders.storage.servers import ACCESS_KEY, REGION, SECRET_KEY, StorageServer
from tests.builders.waiting import PATIENCE_S

pytestmark = pytest.mark.integration

NAMES_OF_S3: Final = SignatureDialect("AWS4", "X-Amz")
HEADERS: Final = {"Content-Type": "text/plain", "X-Amz-Meta-Note": "a  b"}


@pytest.mark.parametrize("key", ["a.txt", "deep/ä ö+%&=?#*'()~.txt"])
def test_signed_put_is_taken(versitygw: StorageServer, key: str) -> None:
    store = s3_store(versitygw)
    url = signed_url(versitygw, key)

    answer = egress_to(versitygw.port).request(
        "PUT", url, headers=HEADERS, body=b"content", max_bytes=10_000, timeout_s=PATIENCE_S
    )

    found = store.read(key)
    assert answer.status == 200
    assert found is not None
    assert (found.content, found.content_type) == (b"content", "text/plain")


@pytest.mark.parametrize(
    ("method", "headers"),
    [("DELETE", HEADERS), ("PUT", HEADERS | {"Content-Type": "text/html"}), ("PUT", {})],
)
def test_signature_holds_for_nothing_else(
    versitygw: StorageServer, method: str, headers: dict[str, str]
) -> None:
    s3_store(versitygw)
    url = signed_url(versitygw, "other.txt")

    answer = egress_to(versitygw.port).request(
        method, url, headers=headers, max_bytes=10_000, timeout_s=PATIENCE_S
    )

    assert answer.status in {400, 403}


def signed_url(server: StorageServer, key: str) -> str:
    signature = RequestSignature(ACCESS_KEY, SECRET_KEY, "s3", REGION)
    url = object_url(f"{server.url}/{BUCKET}", key)
    return signature.object_url(NAMES_OF_S3, "PUT", url, HEADERS)
