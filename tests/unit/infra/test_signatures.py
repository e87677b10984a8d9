"""Signatures of requests to the emulators, made by boto3 as the product makes them."""

import dataclasses
import datetime as dt
from collections.abc import Callable, Mapping
from typing import Any, Final, cast
from urllib.parse import urlsplit

import boto3
import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.config import Config

from infra.local.access.hosts import LOOPBACK_HOSTS, OwnHosts
from infra.local.access.keys import AccessKey
from infra.local.access.signatures import (
    ReceivedRequest,
    UnsignedError,
    check_form,
    check_signature,
)

URL: Final = "http://127.0.0.1:4566"
KEY: Final = AccessKey.random()
MINUTE: Final = dt.timedelta(minutes=1)


def client(service: str, key: AccessKey = KEY) -> Any:
    create: Any = boto3.client
    return create(
        service,
        endpoint_url=URL,
        region_name="us-east-1",
        aws_access_key_id=key.id,
        aws_secret_access_key=key.secret,
        config=Config(signature_version="s3v4") if service == "s3" else None,
    )


def sent(service: str, call: Callable[[Any], object], key: AccessKey = KEY) -> ReceivedRequest:
    """Return the request that a call of a client sends."""
    requests: list[AWSPreparedRequest] = []

    def catch(request: AWSPreparedRequest, **_: object) -> AWSResponse:
        requests.append(request)
        return AWSResponse(request.url, 200, cast("Any", {}), cast("Any", _Empty()))

    caller = client(service, key)
    caller.meta.events.register("before-send", catch)
    call(caller)
    (request,) = requests
    headers = {name: _text(value) for name, value in request.headers.items()}
    given: Any = request.body or b""
    body: bytes = given.read() if hasattr(given, "read") else given
    return received(request.method, request.url, headers, body)


def received(
    method: str, url: str, headers: Mapping[str, str] | None = None, body: bytes = b""
) -> ReceivedRequest:
    parts = urlsplit(url)
    lower = {name.lower(): value for name, value in (headers or {}).items()}
    return ReceivedRequest(
        method, parts.path or "/", parts.query, {"host": parts.netloc, **lower}, body
    )


def now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


CALLS: Final[Mapping[str, tuple[str, Callable[[Any], object]]]] = {
    "table": ("dynamodb", lambda c: c.get_item(TableName="t", Key={"PK": {"S": "ä"}})),
    "message": ("sqs", lambda c: c.send_message(QueueUrl=f"{URL}/0/q", MessageBody="ä b")),
    "secret": ("secretsmanager", lambda c: c.get_secret_value(SecretId="s")),
    "key": ("kms", lambda c: c.encrypt(KeyId="k", Plaintext=b"text")),
    "object": ("s3", lambda c: c.put_object(Bucket="b", Key="a b/ä+c", Body=b"text")),
    "list": ("s3", lambda c: c.list_objects_v2(Bucket="b", Prefix="a b/ä")),
    "invocation": ("lambda", lambda c: c.invoke(FunctionName="f:1", Payload=b"{}")),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls_of_the_product_are_signed(name: str) -> None:
    check_signature(sent(*CALLS[name]), KEY, now())


@pytest.mark.parametrize("name", CALLS)
def test_a_key_with_another_secret_is_refused(name: str) -> None:
    with pytest.raises(UnsignedError, match="does not match"):
        check_signature(sent(*CALLS[name], AccessKey(KEY.id, "guessed")), KEY, now())


def test_another_key_is_refused() -> None:
    with pytest.raises(UnsignedError, match="not this stack's"):
        check_signature(sent(*CALLS["table"], AccessKey("test", KEY.secret)), KEY, now())


@pytest.mark.parametrize("name", ["table", "message", "secret", "key", "invocation"])
def test_another_body_is_refused(name: str) -> None:
    request = dataclasses.replace(sent(*CALLS[name]), body=b"{}  ")

    with pytest.raises(UnsignedError, match="does not match"):
        check_signature(request, KEY, now())


@pytest.mark.parametrize(
    "change",
    [{"method": "DELETE"}, {"path": "/b/other"}, {"query": "versionId=1"}],
    ids=["method", "path", "query"],
)
def test_what_was_not_signed_is_refused(change: dict[str, str]) -> None:
    request = dataclasses.replace(sent(*CALLS["object"]), **change)  # type: ignore[arg-type]

    with pytest.raises(UnsignedError, match="does not match"):
        check_signature(request, KEY, now())


def test_an_unsigned_request_is_refused() -> None:
    with pytest.raises(UnsignedError, match="sign the request"):
        check_signature(received("GET", URL), KEY, now())


@pytest.mark.parametrize(
    "header", ["Basic x", "AWS4-HMAC-SHA256", "AWS4-HMAC-SHA256 Credential=a, Signature=b", ""]
)
def test_another_authorization_is_refused(header: str) -> None:
    with pytest.raises(UnsignedError):
        check_signature(received("GET", URL, {"Authorization": header}), KEY, now())


@pytest.mark.parametrize("age", [16 * MINUTE, -16 * MINUTE])
def test_an_old_request_is_refused(age: dt.timedelta) -> None:
    with pytest.raises(UnsignedError, match="expired"):
        check_signature(sent(*CALLS["table"]), KEY, now() + age)


def presigned(operation: str = "get_object", **more: Any) -> str:
    parameters = {"Bucket": "b", "Key": "tmp/a b.pdf", **more}
    return str(client("s3").generate_presigned_url(operation, parameters, ExpiresIn=60))


def test_a_presigned_url_is_signed() -> None:
    url = presigned(ResponseContentDisposition='inline; filename="ä+b.pdf"')

    check_signature(received("GET", url), KEY, now())


def test_a_presigned_url_counts_until_it_expires() -> None:
    with pytest.raises(UnsignedError, match="expired"):
        check_signature(received("GET", presigned()), KEY, now() + 2 * MINUTE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a%20b.pdf", "other.pdf"),
        ("X-Amz-Expires=60", "X-Amz-Expires=6000"),
        ("X-Amz-Expires=60", "X-Amz-Expires=-1"),
        ("X-Amz-Signature=", "X-Amz-Signature=0"),
        ("X-Amz-SignedHeaders=host", "X-Amz-SignedHeaders="),
        ("X-Amz-Algorithm=AWS4-HMAC-SHA256", "X-Amz-Algorithm=none"),
    ],
)
def test_a_changed_url_is_refused(old: str, new: str) -> None:
    url = presigned()
    assert old in url

    with pytest.raises(UnsignedError):
        check_signature(received("GET", url.replace(old, new)), KEY, now())


def test_a_presigned_upload_becomes_no_copy_of_another_object() -> None:
    headers = {"x-amz-copy-source": "/b/of-another-workspace"}

    with pytest.raises(UnsignedError, match="x-amz-copy-source"):
        check_signature(received("PUT", presigned("put_object"), headers), KEY, now())


def test_two_signatures_are_refused() -> None:
    headers = {"Authorization": "AWS4-HMAC-SHA256 x"}

    with pytest.raises(UnsignedError, match="either"):
        check_signature(received("GET", presigned(), headers), KEY, now())


def form() -> dict[str, str]:
    fields: dict[str, str] = client("s3").generate_presigned_post("b", "tmp/a")["fields"]
    return fields


def test_a_form_is_signed() -> None:
    check_form(form(), KEY)


@pytest.mark.parametrize(
    "change",
    [
        {"policy": "e30="},
        {"x-amz-signature": "0" * 64},
        {"x-amz-signature": ""},
        {"x-amz-credential": "test/20261128/us-east-1/s3/aws4_request"},
    ],
    ids=["policy", "signature", "none", "key"],
)
def test_a_changed_form_is_refused(change: dict[str, str]) -> None:
    with pytest.raises(UnsignedError):
        check_form(form() | change, KEY)


@pytest.mark.parametrize("host", ["127.0.0.1:8700", "localhost:8700", "LOCALHOST", "127.0.0.1"])
def test_names_of_this_machine(host: str) -> None:
    assert LOOPBACK_HOSTS.has(host)


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "rebound.example",
        "rebound.example:8700",
        "127.0.0.1.nip.io",
        "localhost:x",
        "a@localhost",
    ],
)
def test_other_names(host: str | None) -> None:
    assert not LOOPBACK_HOSTS.has(host)


@pytest.mark.parametrize(
    "host", ["api.example.com", "API.example.com:443", "[2001:db8::1]", "[2001:db8::1]:8700"]
)
def test_public_names(host: str) -> None:
    assert OwnHosts(["api.example.com", "2001:db8::1"]).has(host)
    assert not LOOPBACK_HOSTS.has(host)


@pytest.mark.parametrize("host", ["192.0.2.7:8700", "[2001:db8::1]", "localhost"])
def test_addresses_of_a_port_that_listens_on_more_than_loopback(host: str) -> None:
    hosts = OwnHosts(takes_addresses=True)
    assert hosts.has(host)
    assert not hosts.has("rebound.example")


def test_a_key_does_not_show_its_secret() -> None:
    assert KEY.secret not in repr(KEY)


class _Empty:
    """Answer without content."""

    def stream(self, **_: object) -> list[bytes]:
        return []

    def read(self, *_: object) -> bytes:
        return b""


def _text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
