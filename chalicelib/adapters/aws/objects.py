"""The files bucket: bodies in, bodies out, and addresses that hold for a short while."""

import base64
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from chalicelib.adapters.aws.session import AwsClients

# `HeadObject` has no body to say more in than the status.
_ABSENT_CODES: Final = {"NoSuchKey", "AccessDenied", "404", "403"}


class PresignedPost(NamedTuple):
    """A form of multipart/form-data that stores one object: `fields` first, then the file."""

    url: str
    fields: dict[str, str]


class Objects:
    """Objects of one bucket, encrypted by the bucket's own default key."""

    def __init__(self, clients: "AwsClients", bucket: str) -> None:
        """Keep objects in this bucket."""
        self._clients = clients
        self._bucket = bucket

    def put(self, key: str, body: bytes, *, content_type: str, sha256: bytes) -> None:
        """Store a body under `key`; the store refuses it when it does not match its SHA-256."""
        self._client.put_object(
            Bucket=self._bucket,
            Key=key,
            Body=body,
            ContentType=content_type,
            ChecksumSHA256=base64.b64encode(sha256).decode(),
        )

    def get(self, key: str) -> bytes | None:
        """Read a body, or None where there is none.

        Whoever may not list the bucket is told that an absent object is forbidden; that one may
        read what there is, the check before each deployment sees to.
        """
        for last in (False, False, True):
            try:
                answer = self._client.get_object(Bucket=self._bucket, Key=key)
                body: bytes = answer["Body"].read()
            except self._client.exceptions.ClientError as refusal:
                if refusal.response["Error"]["Code"] not in _ABSENT_CODES:
                    raise
                return None
            except self._connection_errors:
                # botocore repeats calls, but not the reading of what they answer.
                if last:
                    raise
            else:
                return body
        raise AssertionError

    def copy(self, source: str, key: str) -> int | None:
        """Copy a body as it is now; return how many bytes it has, or None where there is none.

        Whoever may not list the bucket is told that an absent object is forbidden, as for `get`.
        """
        try:
            self._client.copy_object(
                Bucket=self._bucket, Key=key, CopySource={"Bucket": self._bucket, "Key": source}
            )
            # Of the copy: the other one may be replaced by now.
            found = self._client.head_object(Bucket=self._bucket, Key=key)
        except self._client.exceptions.ClientError as refusal:
            if refusal.response["Error"]["Code"] not in _ABSENT_CODES:
                raise
            return None
        length: int = found["ContentLength"]
        return length

    def presigned_post(
        self, key: str, *, content_type: str, exact_bytes: int, expires_s: int
    ) -> PresignedPost:
        """Return the form with which anyone can store exactly so many bytes under `key`."""
        made = self._client.generate_presigned_post(
            Bucket=self._bucket,
            Key=key,
            Fields={"Content-Type": content_type},
            Conditions=[
                {"Content-Type": content_type},
                ["content-length-range", exact_bytes, exact_bytes],
            ],
            ExpiresIn=expires_s,
        )
        return PresignedPost(made["url"], made["fields"])

    def size(self, key: str) -> int | None:
        """Return how many bytes a body has, or None where there is none."""
        listed = self._client.list_objects_v2(Bucket=self._bucket, Prefix=key, MaxKeys=1)
        sizes: dict[str, int] = {row["Key"]: row["Size"] for row in listed.get("Contents", [])}
        return sizes.get(key)

    def delete(self, key: str) -> None:
        """Remove a body, whether or not it is there."""
        self._client.delete_object(Bucket=self._bucket, Key=key)

    def presigned_url(
        self, key: str, *, content_type: str, disposition: str, expires_s: int
    ) -> str:
        """Return an address that gives the body to anyone for `expires_s` seconds."""
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
