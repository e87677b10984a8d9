"""Objects as streams and in ranges: lengths, bounds, lost connections and changed objects."""

import hashlib
import io
from typing import Any, Final, override

import pytest
from botocore.exceptions import IncompleteReadError, ResponseStreamingError

from chalicelib.adapters.aws.object_streams import (
    PART_BYTES,
    ContentMismatchError,
    ObjectChangedError,
    ObjectVersion,
    StoredContent,
)
from chalicelib.adapters.aws.objects import ObjectCopy, Objects
from tests.builders.service import Service
from tests.fakes.cut_bodies import CUTS, CutBodies

KEY: Final = "tmp/streamed"
CONTENT: Final = bytes(range(256)) * 40
SIZE: Final = len(CONTENT)
HALF: Final = SIZE // 2
TYPE: Final = "application/octet-stream"


class Socket:
    """Source that, as a socket, returns less than was requested, and cannot seek."""

    def __init__(self, content: bytes, most: int = 1000) -> None:
        self._rest = io.BytesIO(content)
        self._most = most

    def read(self, size: int, /) -> bytes:
        return self._rest.read(min(size, self._most))


@pytest.fixture
def objects(service: Service) -> Objects:
    return service.services.state.objects


@pytest.fixture
def stored(service: Service, objects: Objects) -> ObjectVersion:
    store(service, CONTENT)
    version = objects.find(KEY)
    assert version is not None
    return version


def store(service: Service, content: bytes) -> None:
    service.clients.s3.put_object(Bucket=service.settings.bucket, Key=KEY, Body=content)


@pytest.mark.parametrize("size", [0, 1, PART_BYTES - 1, PART_BYTES, PART_BYTES + 1, 2 * PART_BYTES])
def test_stream_is_stored_whole_with_its_type(
    service: Service, objects: Objects, size: int
) -> None:
    content = (CONTENT * (size // len(CONTENT) + 1))[:size]
    digest = hashlib.sha256(content).digest()

    kept = objects.put_stream(
        KEY, Socket(content, 99_999), content_type="a/b", length=size, sha256=digest
    )

    assert kept == StoredContent(size, digest)
    assert objects.get(KEY) == content
    head = service.clients.s3.head_object(Bucket=service.settings.bucket, Key=KEY)
    assert (head["ContentType"], head["ContentLength"]) == ("a/b", size)


def test_stream_of_unknown_length_and_digest_is_measured(objects: Objects) -> None:
    kept = objects.put_stream(KEY, Socket(CONTENT), content_type=TYPE)

    assert kept == StoredContent(SIZE, hashlib.sha256(CONTENT).digest())


@pytest.mark.parametrize("size", [SIZE, PART_BYTES + 1])
@pytest.mark.parametrize(
    "wrong", [{"length": -1}, {"length": 1}, {"sha256": b"x" * 32}], ids=["more", "less", "other"]
)
def test_stream_that_is_not_as_announced_replaces_nothing(
    service: Service, objects: Objects, size: int, wrong: dict[str, Any]
) -> None:
    store(service, b"before")
    announced = {**wrong, "length": size + wrong["length"]} if "length" in wrong else wrong

    with pytest.raises(ContentMismatchError):
        objects.put_stream(KEY, Socket(bytes(size), size), content_type=TYPE, **announced)

    assert objects.get(KEY) == b"before"
    unfinished = service.clients.s3.list_multipart_uploads(Bucket=service.settings.bucket)
    assert "Uploads" not in unfinished


def test_source_that_fails_leaves_nothing(service: Service, objects: Objects) -> None:
    class Failing(Socket):
        @override
        def read(self, size: int, /) -> bytes:
            chunk = super().read(size)
            if not chunk:
                raise ConnectionResetError
            return chunk

    with pytest.raises(ConnectionResetError):
        objects.put_stream(KEY, Failing(bytes(PART_BYTES + 1), PART_BYTES), content_type=TYPE)

    assert objects.find(KEY) is None
    unfinished = service.clients.s3.list_multipart_uploads(Bucket=service.settings.bucket)
    assert "Uploads" not in unfinished


def test_absent_object_is_none(objects: Objects) -> None:
    assert objects.get(KEY) is None
    assert objects.get_stream(KEY) is None
    assert objects.find(KEY) is None
    assert objects.copy(KEY, "tmp/copy") is None


def test_empty_object_is_empty(service: Service, objects: Objects) -> None:
    store(service, b"")
    version = objects.find(KEY)
    reader = objects.get_stream(KEY)
    assert version is not None
    assert reader is not None

    with reader:
        assert list(reader) == []
        assert reader.read(1) == b""
    assert objects.get(KEY) == b""
    assert objects.get_range(version, 0, 0) == b""
    with pytest.raises(ValueError, match="not within the 0"):
        objects.get_range(version, 0, 1)


def test_reader_gives_what_is_requested_and_then_nothing(
    objects: Objects, stored: ObjectVersion
) -> None:
    reader = objects.get_stream(KEY)
    assert reader is not None

    with reader:
        assert reader.version == stored
        assert reader.read(0) == b""
        assert reader.read(10) == CONTENT[:10]
        assert reader.read() == CONTENT[10:]
        assert reader.read() == reader.read(1) == b""


def test_reader_is_a_source(objects: Objects, stored: ObjectVersion) -> None:
    reader = objects.get_stream(KEY)
    assert reader is not None

    with reader:
        objects.put_stream("tmp/copy", reader, content_type=TYPE, length=stored.size)

    assert objects.get("tmp/copy") == CONTENT


@pytest.mark.parametrize(
    ("begin", "end"),
    [(0, 0), (0, 1), (10, 20), (HALF, SIZE), (0, SIZE), (SIZE, SIZE)],
)
def test_range_is_half_open(objects: Objects, stored: ObjectVersion, begin: int, end: int) -> None:
    assert objects.get_range(stored, begin, end) == CONTENT[begin:end]


@pytest.mark.parametrize(
    ("begin", "end"),
    [(-1, 1), (2, 1), (0, SIZE + 1), (SIZE, SIZE + 1), (SIZE + 1, SIZE + 1)],
)
def test_range_outside_of_the_object_is_refused_before_a_call(
    service: Service,
    objects: Objects,
    stored: ObjectVersion,
    monkeypatch: pytest.MonkeyPatch,
    begin: int,
    end: int,
) -> None:
    wire = CutBodies(service.clients.s3)
    monkeypatch.setattr(service.clients.s3, "get_object", wire)

    with pytest.raises(ValueError, match=f"not within the {SIZE} of {KEY}"):
        objects.get_range(stored, begin, end)
    assert wire.ranges == []


@pytest.mark.parametrize("other", [b"shorter", CONTENT[::-1], None], ids=["short", "same", "gone"])
def test_object_that_changes_between_two_ranges_is_noticed(
    service: Service, objects: Objects, stored: ObjectVersion, other: bytes | None
) -> None:
    assert objects.get_range(stored, 0, 10) == CONTENT[:10]
    if other is None:
        objects.delete(KEY)
    else:
        store(service, other)

    with pytest.raises(ObjectChangedError, match=KEY):
        objects.get_range(stored, 10, 20)


@pytest.mark.parametrize("error", CUTS.values(), ids=CUTS)
def test_reader_continues_after_a_lost_connection(
    service: Service,
    objects: Objects,
    stored: ObjectVersion,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception | None,
) -> None:
    wire = CutBodies(service.clients.s3, 1500, 0, error=error)
    monkeypatch.setattr(service.clients.s3, "get_object", wire)
    reader = objects.get_stream(KEY)
    assert reader is not None

    with reader:
        parts = [reader.read(1000) for _ in range(stored.size // 1000 + 1)]

    assert b"".join(parts) == CONTENT
    rest = f"bytes=1000-{stored.size - 1}"
    assert wire.ranges == [None, rest, rest]


@pytest.mark.parametrize(
    ("error", "raised"), [(None, IncompleteReadError), (CUTS["reset"], ResponseStreamingError)]
)
def test_connection_that_is_lost_three_times_is_an_error(
    service: Service,
    objects: Objects,
    stored: ObjectVersion,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception | None,
    raised: type[Exception],
) -> None:
    wire = CutBodies(service.clients.s3, 1, 1, 1, error=error)
    monkeypatch.setattr(service.clients.s3, "get_object", wire)

    with pytest.raises(raised):
        objects.get_range(stored, 0, 10)
    assert len(wire.ranges) == 3


@pytest.mark.parametrize("other", [b"other", None], ids=["replaced", "deleted"])
def test_object_that_changes_while_the_connection_is_lost(
    service: Service,
    objects: Objects,
    monkeypatch: pytest.MonkeyPatch,
    other: bytes | None,
) -> None:
    def change(**request: Any) -> Any:
        response = wire(**request)
        monkeypatch.setattr(service.clients.s3, "get_object", wire)
        if other is None:
            objects.delete(KEY)
        else:
            store(service, other)
        return response

    store(service, CONTENT)
    wire = CutBodies(service.clients.s3, HALF)
    monkeypatch.setattr(service.clients.s3, "get_object", change)
    # A whole read has used nothing of the old bytes yet, and begins anew.
    assert objects.get(KEY) == other

    store(service, CONTENT)
    wire = CutBodies(service.clients.s3, HALF)
    monkeypatch.setattr(service.clients.s3, "get_object", change)
    reader = objects.get_stream(KEY)
    assert reader is not None
    with reader:
        assert reader.read(HALF) == CONTENT[:HALF]
        with pytest.raises(ObjectChangedError):
            reader.read(1)


@pytest.mark.parametrize("answers_checksum", [True, False])
def test_copy_says_its_size_and_checksum(
    service: Service, objects: Objects, *, answers_checksum: bool
) -> None:
    store(service, CONTENT)
    if not answers_checksum:
        # As MiniStack does.
        service.clients.s3.meta.events.register(
            "after-call.s3.HeadObject", lambda parsed, **_: parsed.pop("ChecksumSHA256", None)
        )

    copied = objects.copy(KEY, "tmp/copy")

    assert copied == ObjectCopy(SIZE, hashlib.sha256(CONTENT).hexdigest())
    assert objects.get("tmp/copy") == CONTENT
