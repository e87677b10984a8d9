"""Store of presigned addresses over moto, which only boto3's own requests reach."""

from typing import Any
from urllib.parse import urlsplit

from chalicelib.engine.ports import PresignedPost
from tests.builders.aws_actions import acting_as


class SignedObjects:
    """Reader of presigned addresses; an address has the rights of the function that signed it."""

    def __init__(self, s3: Any, bucket: str, signer: str) -> None:
        self._s3 = s3
        self._bucket = bucket
        self._signer = signer

    def get(self, url: str, *, max_bytes: int, timeout_s: float) -> bytes | None:
        assert timeout_s > 0
        assert "X-Amz-Signature" in url or "Signature" in url
        key = urlsplit(url).path.removeprefix("/").removeprefix(f"{self._bucket}/")
        with acting_as(self._signer):
            try:
                content: bytes = self._s3.get_object(Bucket=self._bucket, Key=key)["Body"].read()
            except self._s3.exceptions.NoSuchKey:
                return None
        assert len(content) <= max_bytes
        return content

    def post(self, form: PresignedPost, content: bytes, *, timeout_s: float) -> None:
        assert timeout_s > 0
        assert form.fields["policy"]
        with acting_as(self._signer):
            self._s3.put_object(Bucket=self._bucket, Key=form.fields["key"], Body=content)
