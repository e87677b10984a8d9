"""Multipart uploads: one object sent in parts, by processes that resume each other's work."""

import base64
import hashlib
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, Self

from chalicelib.adapters.aws.objects import ABSENT_CODES

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

    from chalicelib.adapters.aws.session import AwsClients

# S3 refuses smaller parts, except the last.
MIN_PART_BYTES: Final = 5 << 20
# S3 numbers parts up to here.
_MAX_PARTS: Final = 10_000
# Name in the object's metadata of the token that tells which upload has made it.
_TOKEN_NAME: Final = "upload-token"  # noqa: S105 -- no secret


class MultipartUploadGoneError(Exception):
    """The upload has been aborted, or completed by another call."""


class MultipartConflictError(Exception):
    """Another process has put or completed other parts; `resume` lists the present ones."""


class Part(NamedTuple):
    """Part of an upload: its size in bytes and its SHA-256 in base64."""

    size: int
    sha256: str


class MultipartUploads:
    """Multipart uploads to one bucket."""

    def __init__(self, clients: "AwsClients", bucket: str) -> None:
        """Bind to this bucket."""
        self._clients = clients
        self._bucket = bucket

    def begin(self, key: str, *, content_type: str) -> "MultipartUpload":
        """Begin an upload; see MultipartUpload."""
        return MultipartUpload.begin(self._clients, self._bucket, key, content_type=content_type)

    def resume(self, key: str, upload_id: str) -> "MultipartUpload":
        """Return an upload with its parts; raises MultipartUploadGoneError if it was aborted."""
        return MultipartUpload.resume(self._clients, self._bucket, key, upload_id)

    def abort_all(self, key: str) -> None:
        """Abort all uploads to a key, also those whose id was never saved."""
        s3 = self._clients.s3
        pages = s3.get_paginator("list_multipart_uploads").paginate(Bucket=self._bucket, Prefix=key)
        found = [each for page in pages for each in page.get("Uploads", ())]
        for each in found:
            # The list is by prefix: another key may begin with this one.
            if each["Key"] == key:
                with suppress(s3.exceptions.NoSuchUpload):
                    s3.abort_multipart_upload(
                        Bucket=self._bucket, Key=key, UploadId=each["UploadId"]
                    )


class MultipartUpload:
    """Upload of one object; key and id are all that another process needs to resume it.

    Several processes may work on the same upload: `complete` makes the object only if S3 has
    exactly the parts that this process has found and put, so their parts are never mixed. The
    bucket's lifecycle deletes uploads that are neither completed nor aborted within a day.
    """

    def __init__(self, clients: "AwsClients", bucket: str, key: str, upload_id: str) -> None:
        """Bind to an upload; `begin` and `resume` return one whose parts are known."""
        self._clients = clients
        self._bucket = bucket
        self._key = key
        self._token, _, self._s3_id = upload_id.partition(":")
        self._parts: dict[int, Part] = {}
        self._is_completed = False

    @classmethod
    def begin(cls, clients: "AwsClients", bucket: str, key: str, *, content_type: str) -> Self:
        """Begin an upload to `key`; the object that is there stays until it is completed."""
        token = secrets.token_hex(8)
        response = clients.s3.create_multipart_upload(
            Bucket=bucket,
            Key=key,
            ContentType=content_type,
            ChecksumAlgorithm="SHA256",
            Metadata={_TOKEN_NAME: token},
        )
        return cls(clients, bucket, key, f"{token}:{response['UploadId']}")

    @classmethod
    def resume(cls, clients: "AwsClients", bucket: str, key: str, upload_id: str) -> Self:
        """Return an upload with the parts that S3 has; a completed one can be completed again.

        Raises MultipartUploadGoneError if it was aborted.
        """
        upload = cls(clients, bucket, key, upload_id)
        try:
            upload._parts = {number: part for number, part, _ in upload._stored_parts()}
        except MultipartUploadGoneError:
            # S3 forgets an upload with its completion; the object is known by the upload's token.
            if not upload._has_made_object():
                raise
            upload._is_completed = True
        return upload

    @property
    def id(self) -> str:
        """Return the id of the upload, which `resume` takes."""
        return f"{self._token}:{self._s3_id}"

    @property
    def parts(self) -> Mapping[int, Part]:
        """Return the parts that this process has found and put, by number."""
        return MappingProxyType(self._parts)

    def put_part(self, number: int, body: bytes, *, is_last: bool = False) -> None:
        """Put part `number` (from 1); it replaces another of this number.

        Bytes that are there are not sent again. Raises ValueError for a part that S3 would refuse
        when the upload is completed, and MultipartUploadGoneError.
        """
        self._check_part(number, len(body), is_last=is_last)
        digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
        part = Part(len(body), digest)
        # A function that repeats the work of a dead one sends again only what differs.
        if self._parts.get(number) == part:
            return
        with self._gone_if_unknown():
            self._client.upload_part(
                Bucket=self._bucket,
                Key=self._key,
                UploadId=self._s3_id,
                PartNumber=number,
                Body=body,
                ChecksumSHA256=digest,
            )
        self._parts[number] = part

    def complete(self) -> None:
        """Make the object of the parts; idempotent, also after a lost answer.

        Raises ValueError if parts are missing, MultipartConflictError if another process has put or
        completed other parts, and MultipartUploadGoneError if the upload was aborted.
        """
        if self._is_completed:
            return
        # S3 itself takes parts with gaps between their numbers, and makes a shorter object of them.
        if not self._parts or len(self._parts) != max(self._parts):
            message = f"parts are missing: {sorted(self._parts)} are there"
            raise ValueError(message)
        try:
            self._complete()
        except MultipartUploadGoneError:
            if not self._has_made_object():
                raise
        self._is_completed = True

    def abort(self) -> None:
        """Delete the parts; idempotent. The object of a completed upload stays."""
        with suppress(MultipartUploadGoneError), self._gone_if_unknown():
            self._client.abort_multipart_upload(
                Bucket=self._bucket, Key=self._key, UploadId=self._s3_id
            )

    def _check_part(self, number: int, size: int, *, is_last: bool) -> None:
        highest = max(self._parts, default=0)
        if not 1 <= number <= _MAX_PARTS:
            message = f"part {number} is not one of 1 to {_MAX_PARTS}"
        elif size < MIN_PART_BYTES and not is_last:
            message = f"part {number} has {size} bytes; all but the last have {MIN_PART_BYTES}"
        elif is_last and number < highest:
            message = f"part {number} cannot be the last: part {highest} is there"
        elif number > highest > 0 and self._parts[highest].size < MIN_PART_BYTES:
            message = f"part {highest} is too small for part {number} to follow it"
        else:
            return
        raise ValueError(message)

    def _complete(self) -> None:
        for last in (False, False, True):
            stored = self._stored_parts()
            if {number: part for number, part, _ in stored} != self._parts:
                message = f"another process has put parts of {self._key}"
                raise MultipartConflictError(message)
            try:
                self._request_completion(stored)
            except self._client.exceptions.ClientError as refusal:
                # A part was put again since it was listed: by now it has another tag.
                if last or refusal.response["Error"]["Code"] != "InvalidPart":
                    raise
            else:
                return

    def _request_completion(self, stored: list[tuple[int, Part, str]]) -> None:
        with self._gone_if_unknown():
            self._client.complete_multipart_upload(
                Bucket=self._bucket,
                Key=self._key,
                UploadId=self._s3_id,
                MultipartUpload={
                    "Parts": [
                        # S3 compares both: a part that was put again in the meantime is refused,
                        # not mixed in.
                        {"PartNumber": number, "ETag": etag, "ChecksumSHA256": part.sha256}
                        for number, part, etag in stored
                    ]
                },
            )

    def _stored_parts(self) -> list[tuple[int, Part, str]]:
        """Return number, part and tag of the parts that S3 has, in order; it lists 1 000 a page."""
        pages = self._client.get_paginator("list_parts").paginate(
            Bucket=self._bucket, Key=self._key, UploadId=self._s3_id
        )
        with self._gone_if_unknown():
            return [
                (row["PartNumber"], Part(row["Size"], row["ChecksumSHA256"]), row["ETag"])
                for page in pages
                for row in page.get("Parts", ())
            ]

    def _has_made_object(self) -> bool:
        """Tell whether the object under the key is this upload's; raises MultipartConflictError."""
        try:
            head = self._client.head_object(
                Bucket=self._bucket, Key=self._key, ChecksumMode="ENABLED"
            )
        except self._client.exceptions.ClientError as refusal:
            if refusal.response["Error"]["Code"] not in ABSENT_CODES:
                raise
            return False
        if head["Metadata"].get(_TOKEN_NAME) != self._token:
            return False
        if self._parts and head["ChecksumSHA256"] != self._composite_checksum():
            message = f"another process has completed {self._key} with other parts"
            raise MultipartConflictError(message)
        return True

    def _composite_checksum(self) -> str:
        """Return S3's checksum of an object in parts: the digest of their digests, and how many."""
        digests = [base64.b64decode(self._parts[number].sha256) for number in sorted(self._parts)]
        whole = hashlib.sha256(b"".join(digests)).digest()
        return f"{base64.b64encode(whole).decode()}-{len(digests)}"

    @contextmanager
    def _gone_if_unknown(self) -> Iterator[None]:
        try:
            yield
        except self._client.exceptions.ClientError as refusal:
            if refusal.response["Error"]["Code"] != "NoSuchUpload":
                raise
            message = f"the upload to {self._key} has been completed or aborted"
            raise MultipartUploadGoneError(message) from refusal

    @property
    def _client(self) -> "S3Client":
        return self._clients.s3
