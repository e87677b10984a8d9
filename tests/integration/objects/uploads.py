"""Multipart uploads to one key, and what they leave."""

from typing import Final

from chalicelib.adapters.aws.multipart import MIN_PART_BYTES, MultipartUpload
from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.session import AwsClients
from tests.integration.objects.conftest import BUCKET

KEY: Final = "ws/a/archive.zip"
A, B, C = (letter * MIN_PART_BYTES for letter in (b"a", b"b", b"c"))
END: Final = b"the end"


def begin(clients: AwsClients) -> MultipartUpload:
    return MultipartUpload.begin(clients, BUCKET, KEY, content_type="application/zip")


def resume(clients: AwsClients, upload: MultipartUpload) -> MultipartUpload:
    return MultipartUpload.resume(clients, BUCKET, KEY, upload.id)


def content(clients: AwsClients) -> bytes | None:
    return Objects(clients, BUCKET).get(KEY)


def has_unfinished(clients: AwsClients) -> bool:
    return "Uploads" in clients.s3.list_multipart_uploads(Bucket=BUCKET)
