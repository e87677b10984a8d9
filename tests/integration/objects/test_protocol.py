"""S3's protocol as far as Platen speaks it: digests, conditions, ranges, copies, lists, pages."""

import base64
import hashlib
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from botocore.exceptions import ClientError

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.session import AwsClients
from tests.integration.objects.conftest import BUCKET

pytestmark = pytest.mark.integration
BODY = bytes(range(256)) * 100


@pytest.fixture
def s3(clients: AwsClients) -> Any:
    return clients.s3


def sha256(body: bytes) -> str:
    return base64.b64encode(hashlib.sha256(body).digest()).decode()


def code_of(refused: pytest.ExceptionInfo[ClientError]) -> str:
    return str(refused.value.response["Error"]["Code"])


def test_headers_and_metadata_come_back(s3: Any) -> None:
    kept = {
        "ContentType": "text/html; charset=utf-8",
        "ContentDisposition": 'attachment; filename="a.html"',
        "CacheControl": "no-store",
        "Metadata": {"upload-token": "abc", "other": "x y"},
    }
    s3.put_object(Bucket=BUCKET, Key="a", Body=BODY, **kept)

    found = s3.get_object(Bucket=BUCKET, Key="a")

    assert found["Body"].read() == BODY
    assert {name: found[name] for name in kept} == kept
    head = s3.head_object(Bucket=BUCKET, Key="a")
    assert (head["ContentLength"], head["ETag"]) == (len(BODY), found["ETag"])


@pytest.mark.parametrize("name", ["ChecksumSHA256", "ContentMD5"])
def test_body_of_another_digest_is_refused(s3: Any, name: str) -> None:
    wrong = {"ChecksumSHA256": sha256(b"x"), "ContentMD5": "1B2M2Y8AsgTpgAmY7PhCfg=="}
    s3.put_object(Bucket=BUCKET, Key="a", Body=b"old")

    with pytest.raises(ClientError) as refused:
        s3.put_object(Bucket=BUCKET, Key="a", Body=BODY, **{name: wrong[name]})

    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400
    assert s3.get_object(Bucket=BUCKET, Key="a")["Body"].read() == b"old"


def test_conditional_writes(s3: Any) -> None:
    first = s3.put_object(Bucket=BUCKET, Key="a", Body=b"1", IfNoneMatch="*")
    with pytest.raises(ClientError) as again:
        s3.put_object(Bucket=BUCKET, Key="a", Body=b"2", IfNoneMatch="*")
    s3.put_object(Bucket=BUCKET, Key="a", Body=b"3", IfMatch=first["ETag"])
    with pytest.raises(ClientError) as late:
        s3.put_object(Bucket=BUCKET, Key="a", Body=b"4", IfMatch=first["ETag"])

    assert {code_of(again), code_of(late)} == {"PreconditionFailed"}
    assert s3.get_object(Bucket=BUCKET, Key="a")["Body"].read() == b"3"


@pytest.mark.parametrize(
    ("asked", "begin", "end"),
    [("0-0", 0, 1), ("10-", 10, None), ("-10", -10, None), ("5-99999999", 5, None), ("7-8", 7, 9)],
)
def test_ranges(s3: Any, asked: str, begin: int, end: int | None) -> None:
    s3.put_object(Bucket=BUCKET, Key="a", Body=BODY)

    found = s3.get_object(Bucket=BUCKET, Key="a", Range=f"bytes={asked}")

    assert found["Body"].read() == BODY[begin:end]
    assert found["ResponseMetadata"]["HTTPStatusCode"] == 206


def test_range_behind_the_end_is_refused(s3: Any) -> None:
    s3.put_object(Bucket=BUCKET, Key="a", Body=b"abc")

    with pytest.raises(ClientError) as refused:
        s3.get_object(Bucket=BUCKET, Key="a", Range="bytes=3-")

    assert code_of(refused) == "InvalidRange"


def test_copy_has_the_content_and_its_digest(s3: Any, clients: AwsClients) -> None:
    s3.put_object(Bucket=BUCKET, Key="a b/ü", Body=BODY, ContentType="text/plain")

    copied = Objects(clients, BUCKET).copy("a b/ü", "c")

    assert copied is not None
    assert copied == (len(BODY), hashlib.sha256(BODY).hexdigest())
    found = s3.get_object(Bucket=BUCKET, Key="c")
    assert (found["Body"].read(), found["ContentType"]) == (BODY, "text/plain")
    assert Objects(clients, BUCKET).copy("absent", "c") is None


def test_list_in_pages(s3: Any) -> None:
    keys = [f"list/{number:03d}" for number in range(7)]
    for key in (*keys, "other", "list"):
        s3.put_object(Bucket=BUCKET, Key=key, Body=key.encode())

    pages = s3.get_paginator("list_objects_v2").paginate(
        Bucket=BUCKET, Prefix="list/", PaginationConfig={"PageSize": 3}
    )

    rows = [row for page in pages for row in page["Contents"]]
    assert [row["Key"] for row in rows] == keys
    assert {row["Size"] for row in rows} == {8}


def test_many_are_deleted_at_once(s3: Any, clients: AwsClients) -> None:
    for number in range(5):
        s3.put_object(Bucket=BUCKET, Key=f"many/{number}", Body=b"")

    Objects(clients, BUCKET).delete_many(["many/0", "many/1", "never/there", "many/4"])

    assert sorted(Objects(clients, BUCKET).sizes("many/")) == ["many/2", "many/3"]


def test_object_beside_objects_below_it(s3: Any) -> None:
    for key in ("x/y", "x", "x/y/z"):
        s3.put_object(Bucket=BUCKET, Key=key, Body=key.encode())
    s3.delete_object(Bucket=BUCKET, Key="x/y")

    assert s3.get_object(Bucket=BUCKET, Key="x/y/z")["Body"].read() == b"x/y/z"
    assert s3.get_object(Bucket=BUCKET, Key="x")["Body"].read() == b"x"


def test_signed_address_names_type_and_file(s3: Any, clients: AwsClients) -> None:
    s3.put_object(Bucket=BUCKET, Key="a", Body=BODY, ContentType="application/pdf")
    signed = Objects(clients, BUCKET).presigned_url(
        "a", content_type="text/plain", disposition='inline; filename="b.txt"', expires_s=60
    )

    found = httpx.get(signed)

    assert (found.status_code, found.content) == (200, BODY)
    assert found.headers["content-type"] == "text/plain"
    assert found.headers["content-disposition"] == 'inline; filename="b.txt"'
    assert httpx.get(signed, headers={"Range": "bytes=1-2"}).content == BODY[1:3]
    for other in (signed[:-1] + "x", signed.split("?", 1)[0], signed.replace("/a?", "/b?")):
        assert httpx.get(other).status_code == 403


def test_pages_read_what_the_bucket_allows(s3: Any, clients: AwsClients) -> None:
    page = "https://api.example"
    rule = {"AllowedOrigins": [page], "AllowedMethods": ["GET"], "AllowedHeaders": ["*"]}
    s3.put_bucket_cors(Bucket=BUCKET, CORSConfiguration={"CORSRules": [rule]})
    s3.put_object(Bucket=BUCKET, Key="a", Body=BODY)
    signed = Objects(clients, BUCKET).presigned_get("a", expires_s=60)
    target = signed.split("?", 1)[0]

    def allowed(answer: httpx.Response) -> str | None:
        origin: str | None = answer.headers.get("access-control-allow-origin")
        return origin

    ask = {"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "x-any"}
    assert allowed(httpx.get(signed, headers={"Origin": page})) == page
    assert allowed(httpx.options(target, headers={"Origin": page, **ask})) == page
    assert allowed(httpx.get(signed, headers={"Origin": "https://page.example"})) is None
    put = {**ask, "Access-Control-Request-Method": "PUT"}
    assert allowed(httpx.options(target, headers={"Origin": page, **put})) is None
    assert urlsplit(target).path == f"/{BUCKET}/a"


def test_absent_objects_and_buckets(s3: Any) -> None:
    with pytest.raises(ClientError) as absent:
        s3.get_object(Bucket=BUCKET, Key="absent")
    with pytest.raises(ClientError) as head:
        s3.head_object(Bucket=BUCKET, Key="absent")
    with pytest.raises(ClientError) as bucket:
        s3.get_object(Bucket="elsewhere", Key="a")

    assert [code_of(each) for each in (absent, head, bucket)] == [
        "NoSuchKey",
        "404",
        "NoSuchBucket",
    ]


def test_clients_are_sent_to_the_host_that_they_reach(clients: AwsClients) -> None:
    objects = Objects(clients, BUCKET, "https://files.example.com")
    host = f"https://files.example.com/{BUCKET}"

    shown = objects.presigned_url("a", content_type="a/b", disposition="inline", expires_s=60)
    form = objects.upload_form("a", content_type="a/b", exact_bytes=2, expires_s=60)

    assert shown.startswith(f"{host}/a?")
    assert form.url == host
    # Functions reach the store itself.
    assert not objects.presigned_get("a", expires_s=60).startswith(host)
