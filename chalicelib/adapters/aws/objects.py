"""Objects of the files bucket, and presigned URLs and forms for them."""

import base64
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from chalicelib.adapters.aws.session import AwsClients

# `HeadObject` has no response body, so botocore gives the status as the code. Without
# s3:ListBucket, S3 answers 403 for an absent object.
_ABSENT_CODES: Final = {"NoSuchKey", "AccessDenied", "404", "403"}


class ObjectsNotDeleted(Exception):  # noqa: N818 -- the store's own answer
    """The store has deleted some of the objects only."""


class PresignedPost(NamedTuple):
    """Form (multipart/form-data) that stores one object: `fields` first, the file last."""

    url: str
    fields: dict[str, str]


class Objects:
    """Objects of one bucket, encrypted with the bucket's default key."""

    def __init__(self, clients: "AwsClients", bucket: str) -> None:
        """Bind to this bucket."""
        self._clients = clients
        self._bucket = bucket

    def put(self, key: str, body: bytes, *, content_type: str, sha256: bytes) -> None:
        """Store a body under `key`; S3 refuses it when it does not match `sha256`."""
        self._client.put_object(
            Bucket=self._bucket,
            Key=key,
            Body=body,
            ContentType=content_type,
            ChecksumSHA256=base64.b64encode(sha256).decode(),
        )

    def get(self, key: str) -> bytes | None:
        """Read a body; returns None for an absent object.

        The functions may not list the bucket, so S3 answers 403 for an absent object. That 403
        never means a missing permission is ensured by tests/architecture/test_least_privilege.py.
        """
        for last in (False, False, True):
            try:
                response = self._client.get_object(Bucket=self._bucket, Key=key)
                body: bytes = response["Body"].read()
            except self._client.exceptions.ClientError as refusal:
                if refusal.response["Error"]["Code"] not in _ABSENT_CODES:
                    raise
                return None
            except self._connection_errors:
                # botocore retries calls, but not the reading of a streamed response body.
                if last:
                    raise
            else:
                return body
        raise AssertionError

    def copy(self, source: str, key: str) -> int | None:
        """Copy an object; return the size of the copy in bytes, or None for an absent source."""
        try:
            self._client.copy_object(
                Bucket=self._bucket, Key=key, CopySource={"Bucket": self._bucket, "Key": source}
            )
            # The copy is measured: the source may have been replaced since.
            head = self._client.head_object(Bucket=self._bucket, Key=key)
        except self._client.exceptions.ClientError as refusal:
            if refusal.response["Error"]["Code"] not in _ABSENT_CODES:
                raise
            return None
        length: int = head["ContentLength"]
        return length

    def presigned_post(
        self, key: str, *, content_type: str, exact_bytes: int, expires_s: int
    ) -> PresignedPost:
        """Return a form with which anyone can store exactly `exact_bytes` bytes under `key`."""
        form = self._client.generate_presigned_post(
            Bucket=self._bucket,
            Key=key,
            Fields={"Content-Type": content_type},
            Conditions=[
                {"Content-Type": content_type},
                ["content-length-range", exact_bytes, exact_bytes],
            ],
            ExpiresIn=expires_s,
        )
        return PresignedPost(form["url"], form["fields"])

    def size(self, key: str) -> int | None:
        """Return the size of an object in bytes, or None where it is absent."""
        response = self._client.list_objects_v2(Bucket=self._bucket, Prefix=key, MaxKeys=1)
        sizes: dict[str, int] = {row["Key"]: row["Size"] for row in response.get("Contents", [])}
        return sizes.get(key)

    def delete(self, key: str) -> None:
        """Delete an object; an absent one is not an error."""
        self._client.delete_object(Bucket=self._bucket, Key=key)

    def delete_many(self, keys: Sequence[str]) -> None:
        """Delete up to 1 000 objects in one call; absent ones are not an error.

        Raises ObjectsNotDeleted for those that the store refuses to delete.
        """
        if not keys:
            return
        answer = self._client.delete_objects(
            Bucket=self._bucket,
            Delete={"Objects": [{"Key": key} for key in keys], "Quiet": True},
        )
        if errors := answer.get("Errors"):
            raise ObjectsNotDeleted(errors[0].get("Code", ""))

    def presigned_url(
        self, key: str, *, content_type: str, disposition: str, expires_s: int
    ) -> str:
        """Return a URL with which anyone can get the object for `expires_s` seconds."""
        url: str = self._client.generate_presigned_url(
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

    @cached_property
    def _connection_errors(self) -> tuple[type[Exception], ...]:
        from botocore.exceptions import (  # noqa: PLC0415 -- imported with the first client
            IncompleteReadError,
            ReadTimeoutError,
            ResponseStreamingError,
        )

        return (IncompleteReadError, ReadTimeoutError, ResponseStreamingError)

    @property
    def _client(self) -> Any:
        return self._clients.s3
