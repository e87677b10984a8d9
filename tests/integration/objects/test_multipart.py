"""Multipart uploads: resumed, repeated, completed and aborted twice, and refused parts."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from botocore.exceptions import ClientError

from chalicelib.adapters.aws.multipart import (
    MIN_PART_BYTES,
    MultipartUploadGoneError,
)
from chalicelib.adapters.aws.session import AwsClients
from tests.integration.objects.conftest import BUCKET, FaultyClients
from tests.integration.objects.uploads import (
    END,
    KEY,
    A,
    B,
    C,
    begin,
    content,
    has_unfinished,
    resume,
)

pytestmark = pytest.mark.integration


def test_object_is_made_when_the_upload_is_completed(clients: AwsClients) -> None:
    upload = begin(clients)
    upload.put_part(2, END, is_last=True)
    upload.put_part(1, A)
    assert content(clients) is None

    upload.complete()

    assert content(clients) == A + END
    head = clients.s3.head_object(Bucket=BUCKET, Key=KEY)
    assert head["ContentType"] == "application/zip"
    assert not has_unfinished(clients)


@pytest.mark.parametrize("only", [b"", b"x"])
def test_single_part_may_be_small(clients: AwsClients, only: bytes) -> None:
    upload = begin(clients)
    upload.put_part(1, only, is_last=True)

    upload.complete()

    assert content(clients) == only


def test_resumed_upload_sends_only_what_is_missing(
    clients: AwsClients, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload = begin(clients)
    upload.put_part(1, A)
    upload.put_part(2, B)

    again = resume(clients, upload)
    assert again.parts == upload.parts
    sent: list[int] = []
    put = clients.s3.upload_part

    def counted(**part: Any) -> Any:
        sent.append(part["PartNumber"])
        return put(**part)

    monkeypatch.setattr(clients.s3, "upload_part", counted)
    for number, body in enumerate((A, B, C), 1):
        again.put_part(number, body)
    again.complete()

    assert sent == [3]
    assert content(clients) == A + B + C


def test_part_that_is_put_again_with_other_bytes_is_replaced(clients: AwsClients) -> None:
    upload = begin(clients)
    upload.put_part(1, A)
    upload.put_part(2, b"an end", is_last=True)

    upload.put_part(1, B)
    upload.put_part(2, END, is_last=True)
    upload.complete()

    assert content(clients) == B + END


def test_lost_answer_to_the_completion_is_made_up_for(
    clients: AwsClients, faulty_clients: FaultyClients
) -> None:
    upload = begin(clients)
    upload.put_part(1, A)

    faulty = resume(faulty_clients("s3.PostObject", "lost"), upload)
    faulty.complete()
    faulty.complete()

    assert content(clients) == A


def test_part_whose_answer_is_lost_is_sent_again(
    clients: AwsClients, faulty_clients: FaultyClients
) -> None:
    upload = resume(faulty_clients("s3.PutObject", "lost"), begin(clients))

    upload.put_part(1, A)
    upload.complete()

    assert content(clients) == A


def test_aborted_upload_leaves_nothing_and_takes_nothing(clients: AwsClients) -> None:
    upload = begin(clients)
    upload.put_part(1, A)
    other = resume(clients, upload)

    upload.abort()
    upload.abort()

    assert not has_unfinished(clients)
    assert content(clients) is None
    for refused in (lambda: other.put_part(2, B), other.complete, lambda: resume(clients, upload)):
        with pytest.raises(MultipartUploadGoneError):
            refused()


@pytest.mark.parametrize(
    ("number", "size", "is_last", "message"),
    [
        (0, MIN_PART_BYTES, False, "part 0 is not one of 1 to 10000"),
        (10_001, MIN_PART_BYTES, False, "not one of 1 to 10000"),
        (2, MIN_PART_BYTES - 1, False, "all but the last have 5242880"),
        (2, 0, False, "all but the last have 5242880"),
        (2, 1, True, "part 2 cannot be the last: part 3 is there"),
        (4, MIN_PART_BYTES, False, "part 3 is too small for part 4 to follow it"),
        (4, 1, True, "part 3 is too small for part 4 to follow it"),
    ],
)
def test_part_that_s3_would_refuse_at_the_end_is_refused_at_once(
    clients: AwsClients, number: int, size: int, message: str, *, is_last: bool
) -> None:
    upload = begin(clients)
    upload.put_part(3, END, is_last=True)

    with pytest.raises(ValueError, match=message):
        upload.put_part(number, bytes(size), is_last=is_last)

    assert [*resume(clients, upload).parts] == [3]


@pytest.mark.parametrize("numbers", [[], [2], [1, 3]])
def test_upload_with_missing_parts_is_not_completed(
    clients: AwsClients, numbers: list[int]
) -> None:
    upload = begin(clients)
    for number in numbers:
        upload.put_part(number, A)

    with pytest.raises(ValueError, match="parts are missing"):
        upload.complete()


def test_damaged_part_is_refused(clients: AwsClients, monkeypatch: pytest.MonkeyPatch) -> None:
    upload = begin(clients)
    put = clients.s3.upload_part
    monkeypatch.setattr(
        clients.s3, "upload_part", lambda **part: put(**{**part, "Body": part["Body"][:-1] + b"?"})
    )

    with pytest.raises(ClientError):
        upload.put_part(1, A)
    assert upload.parts == {}


def test_more_parts_than_a_page_lists_are_found(clients: AwsClients) -> None:
    upload = begin(clients)
    s3_id = upload.id.partition(":")[2]

    def put(number: int) -> None:
        clients.s3.upload_part(
            Bucket=BUCKET,
            Key=KEY,
            UploadId=s3_id,
            PartNumber=number,
            Body=b"%d" % number,
            ChecksumAlgorithm="SHA256",
        )

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(put, range(1, 1_006)))

    found = resume(clients, upload).parts
    assert [*found] == [*range(1, 1_006)]
    assert found[1_005].size == 4
