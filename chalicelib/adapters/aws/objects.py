"""Objects of the files bucket, and presigned URLs and forms for them."""

import base64
import hashlib
from collections.abc import Callable, Sequence
from itertools import batched
from typing import IO, TYPE_CHECKING, Final, NamedTuple, cast
from urllib.parse import urlsplit

from chalicelib.adapters.aws.object_streams import (
    PART_BYTES,
    CheckedReader,
    ObjectChangedError,
    ObjectReader,
    ObjectVersion,
    Readable,
    StoredContent,
)
from chalicelib.core.locked_property import LockedCachedProperty
from chalicelib.engine.ports import PresignedPost

if TYPE_CHECKING:
    from botocore.response import StreamingBody
    from mypy_boto3_s3 import S3Client

    from chalicelib.adapters.aws.session import AwsClients

# `HeadObject` has no response body, so botocore gives the status as the code. Without
# s3:ListBucket, S3 answers 403 for an absent object.
ABSENT_CODES: Final = {"NoSuchKey", "AccessDenied", "404", "403"}
# Of one DeleteObjects.
_MAX_DELETED: Final = 1_000
# Of an object that is read for its checksum alone.
_PIECE_BYTES: Final = 1024 * 1024


class ObjectCopy(NamedTuple):
    """Size of a copy, and its SHA-256 in hexadecimal."""

    size: int
    sha256: str


class ObjectsNotDeleted(Exception):  # noqa: N818 -- the store's own answer
    """The store has deleted some of the objects only."""


class Objects:
    """Objects of one bucket, encrypted with the bucket's default key."""

    def __init__(self, clients: "AwsClients", bucket: str, public_url: str = "") -> None:
        """Bind to this bucket, which clients of the service reach at `public_url`, if it is set."""
        self._clients = clients
        self._bucket = bucket
        self._public_url = public_url

    def put(self, key: str, body: bytes, *, content_type: str, sha256: bytes) -> None:
        """Store a body under `key`; S3 refuses it when it does not match `sha256`."""
        self._client.put_object(
            Bucket=self._bucket,
            Key=key,
            Body=body,
            ContentType=content_type,
            ChecksumSHA256=base64.b64encode(sha256).decode(),
        )

    def put_data(self, key: str, body: bytes) -> None:
        """Store data of our own under `key`."""
        digest = hashlib.sha256(body).digest()
        self.put(key, body, content_type="application/octet-stream", sha256=digest)

    def put_stream(
        self,
        key: str,
        source: Readable,
        *,
        content_type: str,
        length: int | None = None,
        sha256: bytes | None = None,
    ) -> StoredContent:
        """Store a stream of any length under `key`, holding one part of it at a time.

        Above PART_BYTES it is sent as a multipart upload, which takes a call for each part and two
        more. Raises ContentMismatchError if the stream has not the announced `length` or `sha256`;
        the object that was there before then stays.
        """
        from boto3.s3.transfer import TransferConfig  # noqa: PLC0415 -- heavy

        checked = CheckedReader(source, length, sha256)
        self._client.upload_fileobj(
            cast("IO[bytes]", checked),
            self._bucket,
            key,
            # botocore computes the checksum of each part, and S3 compares it.
            ExtraArgs={"ContentType": content_type, "ChecksumAlgorithm": "SHA256"},
            # One part after the other: threads would hold one each.
            Config=TransferConfig(
                multipart_threshold=PART_BYTES, multipart_chunksize=PART_BYTES, use_threads=False
            ),
        )
        return checked.content

    def get(self, key: str) -> bytes | None:
        """Read a body; returns None for an absent object."""
        reader = self.get_stream(key)
        if reader is None:
            return None
        with reader:
            try:
                return reader.read()
            except ObjectChangedError:
                # The connection was lost and the object has changed: nothing of it has been used.
                return self.get(key)

    def get_stream(self, key: str) -> ObjectReader | None:
        """Return a reader of an object, to be closed; None for an absent object.

        The functions may not list the bucket, so S3 answers 403 for an absent object. That 403
        never means a missing permission is ensured by tests/architecture/test_least_privilege.py.
        """
        response = self._unless_absent(
            lambda: self._client.get_object(Bucket=self._bucket, Key=key)
        )
        if response is None:
            return None
        # By its ETag the rest of the same version can be read after a lost connection.
        version = ObjectVersion(key, response["ContentLength"], response["ETag"])
        return ObjectReader(version, 0, version.size, self._open_range, response["Body"])

    def get_range(self, version: ObjectVersion, begin: int, end: int) -> bytes:
        """Read the bytes `begin` to `end` (half-open) of a version that `find` has returned.

        Raises ValueError for a range that is not within it, and ObjectChangedError.
        """
        if not 0 <= begin <= end <= version.size:
            message = f"bytes {begin} to {end} are not within the {version.size} of {version.key}"
            raise ValueError(message)
        with ObjectReader(version, begin, end, self._open_range) as reader:
            return reader.read()

    def get_rest(self, version: ObjectVersion, begin: int) -> ObjectReader:
        """Return a reader of a version from byte `begin` to its end, to be closed."""
        return ObjectReader(version, begin, version.size, self._open_range)

    def find(self, key: str) -> ObjectVersion | None:
        """Return the current version of an object, or None where it is absent."""
        head = self._unless_absent(lambda: self._client.head_object(Bucket=self._bucket, Key=key))
        return None if head is None else ObjectVersion(key, head["ContentLength"], head["ETag"])

    def copy(self, source: str, key: str) -> ObjectCopy | None:
        """Copy an object, and let S3 compute its SHA-256; return None for an absent source."""
        copied = self._unless_absent(
            lambda: self._client.copy_object(
                Bucket=self._bucket,
                Key=key,
                CopySource={"Bucket": self._bucket, "Key": source},
                ChecksumAlgorithm="SHA256",
            )
        )
        if copied is None:
            return None
        # The copy is measured: the source may have been replaced since.
        head = self._unless_absent(
            lambda: self._client.head_object(Bucket=self._bucket, Key=key, ChecksumMode="ENABLED")
        )
        if head is None:
            return None
        if checksum := head.get("ChecksumSHA256", ""):
            return ObjectCopy(head["ContentLength"], base64.b64decode(checksum).hex())
        return self._measured_copy(key)

    def _measured_copy(self, key: str) -> ObjectCopy | None:
        """Return what has been copied to `key`, read whole: MiniStack computes no checksum."""
        reader = self.get_stream(key)
        if reader is None:
            return None
        digest, size = hashlib.sha256(), 0
        with reader:
            while piece := reader.read(_PIECE_BYTES):
                digest.update(piece)
                size += len(piece)
        return ObjectCopy(size, digest.hexdigest())

    def presigned_post(
        self, key: str, *, content_type: str, min_bytes: int, max_bytes: int, expires_s: int
    ) -> PresignedPost:
        """Return a form with which another function can store an object of such a size."""
        return self._form(self._client, key, content_type, (min_bytes, max_bytes), expires_s)

    def upload_form(
        self, key: str, *, content_type: str, exact_bytes: int, expires_s: int
    ) -> PresignedPost:
        """Return a form with which anyone can store an object of this size under `key`."""
        sizes = exact_bytes, exact_bytes
        return self._form(self._public_client, key, content_type, sizes, expires_s)

    def _form(
        self,
        client: "S3Client",
        key: str,
        content_type: str,
        sizes: tuple[int, int],
        expires_s: int,
    ) -> PresignedPost:
        form = client.generate_presigned_post(
            Bucket=self._bucket,
            Key=key,
            Fields={"Content-Type": content_type},
            Conditions=[
                {"Content-Type": content_type},
                ["content-length-range", *sizes],
            ],
            ExpiresIn=expires_s,
        )
        return PresignedPost(form["url"], form["fields"])

    def sizes(self, prefix: str) -> dict[str, int]:
        """Return the bytes of all objects whose keys begin with `prefix`, by key."""
        pages = self._client.get_paginator("list_objects_v2").paginate(
            Bucket=self._bucket, Prefix=prefix
        )
        return {row["Key"]: row["Size"] for page in pages for row in page.get("Contents", [])}

    def delete(self, key: str) -> None:
        """Delete an object; an absent one is not an error."""
        self._client.delete_object(Bucket=self._bucket, Key=key)

    def delete_many(self, keys: Sequence[str]) -> None:
        """Delete objects, up to 1 000 in one call; absent ones are not an error.

        Raises ObjectsNotDeleted for those that the store refuses to delete.
        """
        for some in batched(keys, _MAX_DELETED, strict=False):
            answer = self._client.delete_objects(
                Bucket=self._bucket,
                # Quiet: the answer names the failures only.
                Delete={"Objects": [{"Key": key} for key in some], "Quiet": True},
            )
            if errors := answer.get("Errors"):
                raise ObjectsNotDeleted(errors[0].get("Code", ""))

    def presigned_url(
        self, key: str, *, content_type: str, disposition: str, expires_s: int
    ) -> str:
        """Return a URL with which anyone can get the object for `expires_s` seconds."""
        url: str = self._public_client.generate_presigned_url(
            "get_object",
            Params={
                "Bucket": self._bucket,
                "Key": key,
                "ResponseContentType": content_type,
                "ResponseContentDisposition": disposition,
            },
            ExpiresIn=expires_s,
        )
        return url

    @LockedCachedProperty
    def public_host(self) -> str:
        """URL of the host of presigned URLs."""
        url = urlsplit(self.presigned_url("any", content_type="", disposition="", expires_s=1))
        return f"{url.scheme}://{url.netloc}"

    def presigned_get(self, key: str, *, expires_s: int) -> str:
        """Return a URL with which another function can get the object for `expires_s` seconds."""
        url: str = self._client.generate_presigned_url(
            "get_object", Params={"Bucket": self._bucket, "Key": key}, ExpiresIn=expires_s
        )
        return url

    def _open_range(self, version: ObjectVersion, begin: int, end: int) -> "StreamingBody":
        try:
            response = self._client.get_object(
                Bucket=self._bucket,
                Key=version.key,
                # The last byte of an HTTP range is within it (RFC 9110, 14.1.2).
                Range=f"bytes={begin}-{end - 1}",
                IfMatch=version.etag,
            )
        except self._client.exceptions.ClientError as refusal:
            if refusal.response["Error"]["Code"] not in {*ABSENT_CODES, "PreconditionFailed"}:
                raise
            message = f"{version.key} has been replaced or deleted"
            raise ObjectChangedError(message) from refusal
        return response["Body"]

    def _unless_absent[T](self, call: Callable[[], T]) -> T | None:
        try:
            return call()
        except self._client.exceptions.ClientError as refusal:
            if refusal.response["Error"]["Code"] not in ABSENT_CODES:
                raise
            return None

    @property
    def _client(self) -> "S3Client":
        return self._clients.s3

    @LockedCachedProperty
    def _public_client(self) -> "S3Client":
        """Client that signs URLs for clients of the service; it sends nothing."""
        url = self._public_url
        return self._clients.s3_at(url) if url else self._clients.s3
