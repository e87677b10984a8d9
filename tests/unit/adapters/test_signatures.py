"""Signatures of version 4 against published examples."""

import datetime as dt
import hmac
from hashlib import sha256
from typing import Final
from urllib.parse import parse_qsl, urlsplit

import botocore.auth
import pytest

from chalicelib.adapters.aws import session
from chalicelib.adapters.aws.session import GOOGLE_DIALECT, RequestSignature, SignatureDialect

EMPTY: Final = sha256(b"").hexdigest()


@pytest.fixture(autouse=True)
def day_of_the_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    at = dt.datetime(2013, 5, 24, tzinfo=dt.UTC)
    monkeypatch.setattr(botocore.auth, "get_current_datetime", lambda: at)


@pytest.fixture
def signature() -> RequestSignature:
    """Sign with the keys of the documentation of Amazon S3."""
    secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
    return RequestSignature("AKIAIOSFODNN7EXAMPLE", secret, "s3", "us-east-1")


def test_headers_are_those_of_the_example_of_s3(signature: RequestSignature) -> None:
    url = "https://examplebucket.s3.amazonaws.com/?lifecycle="

    headers = signature.object_headers("GET", url, {}, EMPTY)

    assert headers["X-Amz-Content-SHA256"] == EMPTY
    assert headers["Authorization"] == (
        "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
        "SignedHeaders=host;x-amz-content-sha256;x-amz-date, "
        "Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
    )


def test_url_is_that_of_the_example_of_s3(
    signature: RequestSignature, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "_SIGNED_URL_S", 86_400)

    url = signature.object_url(
        SignatureDialect("AWS4", "X-Amz"),
        "GET",
        "https://examplebucket.s3.amazonaws.com/test.txt",
        {},
    )

    assert url == (
        "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
        "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
        "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
        "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
    )


def test_google_gets_its_own_names_and_the_hash_of_the_content() -> None:
    signature = RequestSignature("GOOG1ID", "secret", "storage", "auto")
    headers = {"Content-Type": "text/plain", "X-Goog-Content-Sha256": EMPTY}

    url = signature.object_url(
        GOOGLE_DIALECT, "PUT", "https://storage.googleapis.com/archive/a%20b.txt", headers
    )

    query, _, signed = urlsplit(url).query.partition("&X-Goog-Signature=")
    assert parse_qsl(query) == [
        ("X-Goog-Algorithm", "GOOG4-HMAC-SHA256"),
        ("X-Goog-Credential", "GOOG1ID/20130524/auto/storage/goog4_request"),
        ("X-Goog-Date", "20130524T000000Z"),
        ("X-Goog-Expires", "900"),
        ("X-Goog-SignedHeaders", "content-type;host;x-goog-content-sha256"),
    ]
    # As "Signatures" and "Canonical requests" of Cloud Storage describe it.
    canonical = (
        f"PUT\n/archive/a%20b.txt\n{query}\ncontent-type:text/plain\nhost:storage.googleapis.com\n"
        f"x-goog-content-sha256:{EMPTY}\n\ncontent-type;host;x-goog-content-sha256\n{EMPTY}"
    )
    text = (
        "GOOG4-HMAC-SHA256\n20130524T000000Z\n20130524/auto/storage/goog4_request\n"
        + sha256(canonical.encode()).hexdigest()
    )
    key = b"GOOG4secret"
    for part in ("20130524", "auto", "storage", "goog4_request"):
        key = hmac.digest(key, part.encode(), "sha256")
    assert signed == hmac.digest(key, text.encode(), "sha256").hex()
