"""Uploads as callers send them."""

from typing import Any

from tests.builders.http import ApiAnswer
from tests.builders.service import Service


def multipart_request(*parts: tuple[str, bytes], boundary: str = "xXx") -> dict[str, Any]:
    """Return a multipart request of header lines and contents."""
    body = b"".join(
        f"--{boundary}\r\n{head}\r\n\r\n".encode() + content + b"\r\n" for head, content in parts
    )
    return {
        "body": body + f"--{boundary}--\r\n".encode(),
        "headers": {"Content-Type": f"multipart/form-data; boundary={boundary}"},
    }


def file_part(content: bytes, name: str = "a.bin", kind: str = "text/html") -> tuple[str, bytes]:
    head = f'Content-Disposition: form-data; name="file"; filename="{name}"\r\nContent-Type: {kind}'
    return head, content


def post_upload(service: Service, content: bytes, **more: str) -> ApiAnswer:
    return service.call("POST", "/v1/uploads", **multipart_request(file_part(content, **more)))


def announce_upload(service: Service, **fields: Any) -> ApiAnswer:
    body = {"filename": "a.html", "content_type": "text/html", "bytes": 5} | fields
    return service.call("POST", "/v1/uploads", json_body=body)


def store_announced(service: Service, upload_id: str, content: bytes) -> None:
    """Store an announced upload where its form would put it."""
    key = f"tmp/uploads/{service.workspace}/{upload_id}.arriving"
    service.clients.s3.put_object(Bucket=service.settings.bucket, Key=key, Body=content)
