"""100 MB through put, get, ranges and multipart in flat memory; cut bodies; forms to post with."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
import urllib3

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.session import AwsClients
from chalicelib.engine.ports import PresignedPost
from tests.integration.objects.conftest import BUCKET, FaultyClients

pytestmark = pytest.mark.integration

MAX_GROWTH_KB: Final = 30_000
CHILD: Final = Path(__file__).with_name("large_object.py")
# Freed buffers go back to the system at once; otherwise glibc keeps some, depending on the order.
MALLOC: Final = {"MALLOC_MMAP_THRESHOLD_": "1000000", "MALLOC_TRIM_THRESHOLD_": "1000000"}
KEY: Final = "tmp/uploads/ws_1/upl_1.arriving"
BODY: Final = b"<p>1</p>"
TYPE: Final = "text/html"


def run_in_child(environment: dict[str, str], *operations: str) -> list[dict[str, Any]]:
    """Run operations on 100 MB in a process; return the growth of its peak and the digests."""
    done = subprocess.run(
        [sys.executable, str(CHILD), BUCKET, *operations],
        env={**environment, **MALLOC, "PYTHONPATH": str(CHILD.parents[3])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.breadth
@pytest.mark.usefixtures("clients")
def test_100_mb_pass_in_flat_memory(environment: dict[str, str]) -> None:
    answers = run_in_child(environment, "put", "get", "ranges", "copy", "multipart", "get")

    assert {answer["sha256"] for answer in answers} == {answers[0]["sha256"]}
    assert {answer["size"] for answer in answers} == {100_000_000}
    growth = {answer["operation"]: answer["growth_kb"] for answer in answers}
    assert max(growth.values()) < MAX_GROWTH_KB, growth


@pytest.mark.usefixtures("clients")
def test_whole_body_in_memory_is_noticed(environment: dict[str, str]) -> None:
    *_, whole = run_in_child(environment, "put", "whole")

    assert whole["growth_kb"] > MAX_GROWTH_KB


@pytest.mark.parametrize("size", [10, 3_000_000])
def test_body_that_is_cut_on_its_way_is_read_on(
    clients: AwsClients, faulty_clients: FaultyClients, size: int
) -> None:
    content = bytes(range(256)) * (size // 256) + b"end"
    Objects(clients, BUCKET).put(
        KEY, content, content_type=TYPE, sha256=hashlib.sha256(content).digest()
    )
    reader = Objects(faulty_clients("s3.GetObject", "cut"), BUCKET).get_stream(KEY)
    assert reader is not None

    with reader:
        assert b"".join(reader) == content


@pytest.mark.parametrize(
    ("operation", "kind"),
    [("s3.PostObject", "lost"), ("s3.PutObject", "lost"), ("s3.PutObject", "reset")],
)
def test_stream_is_stored_although_an_answer_is_lost(
    faulty_clients: FaultyClients, operation: str, kind: Any, tmp_path: Path
) -> None:
    source = tmp_path / "source"
    source.write_bytes(b"x" * 9_000_000)
    objects = Objects(faulty_clients(operation, kind), BUCKET)

    with source.open("rb") as stream:
        objects.put_stream(KEY, stream, content_type=TYPE, length=9_000_000)

    assert objects.get(KEY) == source.read_bytes()


def presigned(clients: AwsClients, expires_s: int = 60) -> PresignedPost:
    return Objects(clients, BUCKET).presigned_post(
        KEY, content_type=TYPE, min_bytes=len(BODY), max_bytes=len(BODY), expires_s=expires_s
    )


def post(form: PresignedPost, body: bytes = BODY, **changed: str) -> int:
    fields = {**form.fields, **changed}
    parts: Any = [*fields.items(), ("file", ("a.html", body, "text/html"))]
    return urllib3.request("POST", form.url, fields=parts).status


def test_form_stores_exactly_what_was_announced(clients: AwsClients) -> None:
    assert post(presigned(clients)) == 204

    head = clients.s3.head_object(Bucket=BUCKET, Key=KEY)
    assert (head["ContentType"], head["ContentLength"]) == (TYPE, len(BODY))


@pytest.mark.parametrize(
    ("body", "changed"),
    [
        (BODY + b"1", {}),
        (BODY[:-1], {}),
        (b"", {}),
        (BODY, {"key": "ws/ws_1/files/other"}),
        (BODY, {"Content-Type": "text/plain"}),
    ],
    ids=["longer", "shorter", "empty", "key", "type"],
)
def test_form_stores_nothing_else(
    clients: AwsClients, body: bytes, changed: dict[str, str]
) -> None:
    assert post(presigned(clients), body, **changed) in {400, 403}

    assert "Contents" not in clients.s3.list_objects_v2(Bucket=BUCKET)


def test_form_expires(clients: AwsClients) -> None:
    assert post(presigned(clients, expires_s=-1)) == 403
