"""Multipart uploads that several processes resume, put parts of and complete."""

from typing import Any

import pytest

from chalicelib.adapters.aws.multipart import (
    MultipartConflictError,
    MultipartUpload,
    MultipartUploadGoneError,
)
from chalicelib.adapters.aws.session import AwsClients
from tests.integration.objects.conftest import BUCKET
from tests.integration.objects.uploads import (
    END,
    KEY,
    A,
    B,
    C,
    begin,
    content,
    resume,
)

pytestmark = pytest.mark.integration


def test_upload_resumed_twice_is_made_of_the_same_bytes(
    clients: AwsClients, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload = begin(clients)
    upload.put_part(1, A)
    first, second = resume(clients, upload), resume(clients, upload)
    complete = clients.s3.complete_multipart_upload

    def overtaken(**request: Any) -> Any:
        monkeypatch.setattr(clients.s3, "complete_multipart_upload", complete)
        second.complete()
        return complete(**request)

    for each in (first, second, first):
        each.put_part(2, B)
        each.put_part(3, END, is_last=True)
    # An emulator may corrupt an object that is completed twice at the very same time; S3 does not.
    monkeypatch.setattr(clients.s3, "complete_multipart_upload", overtaken)
    first.complete()

    assert content(clients) == A + B + END


@pytest.mark.parametrize(("other", "is_same"), [(A, True), (C, False)])
def test_part_that_is_put_again_while_the_upload_is_completed(
    clients: AwsClients, monkeypatch: pytest.MonkeyPatch, other: bytes, *, is_same: bool
) -> None:
    upload = begin(clients)
    upload.put_part(1, A)
    complete = clients.s3.complete_multipart_upload

    def tag_changed(**request: Any) -> Any:
        monkeypatch.setattr(clients.s3, "complete_multipart_upload", complete)
        late = MultipartUpload(clients, BUCKET, KEY, upload.id)
        late.put_part(1, other)
        # With a KMS key the same bytes have another tag; an emulator's tag is always their MD5.
        request["MultipartUpload"]["Parts"][0]["ETag"] = '"0123456789abcdef0123456789abcdef"'
        return complete(**request)

    monkeypatch.setattr(clients.s3, "complete_multipart_upload", tag_changed)

    if is_same:
        upload.complete()
        assert content(clients) == A
    else:
        with pytest.raises(MultipartConflictError):
            upload.complete()
        assert content(clients) is None


def test_upload_resumed_twice_with_other_bytes_is_never_mixed(clients: AwsClients) -> None:
    upload = begin(clients)
    first, second = resume(clients, upload), resume(clients, upload)
    first.put_part(1, A)
    second.put_part(1, C)
    first.put_part(2, B)
    second.put_part(2, C)

    with pytest.raises(MultipartConflictError):
        first.complete()
    assert content(clients) is None
    second.complete()
    with pytest.raises(MultipartConflictError):
        first.complete()

    assert content(clients) == C + C


def test_parts_of_another_process_are_not_left_out(clients: AwsClients) -> None:
    upload = begin(clients)
    upload.put_part(1, A)
    behind = resume(clients, upload)
    upload.put_part(2, END, is_last=True)

    with pytest.raises(MultipartConflictError):
        behind.complete()
    resume(clients, upload).complete()

    assert content(clients) == A + END


def test_completed_upload_can_be_completed_by_a_process_that_comes_late(
    clients: AwsClients,
) -> None:
    upload = begin(clients)
    upload.put_part(1, A)
    stale = resume(clients, upload)
    upload.complete()

    stale.complete()
    late = resume(clients, upload)
    late.complete()
    late.abort()

    assert content(clients) == A
    with pytest.raises(MultipartUploadGoneError):
        late.put_part(2, B)


def test_object_of_another_upload_is_not_taken_for_its_own(clients: AwsClients) -> None:
    upload, other = begin(clients), begin(clients)
    for each in (upload, other):
        each.put_part(1, A)
    upload.complete()
    other.complete()

    with pytest.raises(MultipartUploadGoneError):
        resume(clients, upload)
    clients.s3.delete_object(Bucket=BUCKET, Key=KEY)
    with pytest.raises(MultipartUploadGoneError):
        resume(clients, other)
