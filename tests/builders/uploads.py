"""Uploads as callers send them."""

from typing import Any

from tests.builders.http import Answer
from tests.builders.service import Service


def form(*parts: tuple[str, bytes], boundary: str = "xXx") -> dict[str, Any]:
    """Return a multipart request of header lines and contents."""
    body = b"".join(
        f"--{boundary}\r\n{head}\r\n\r\n".encode() + content + b"\r\n" for head, content in parts
    )
    return {
        "body": body + f"--{boundary}--\r\n".encode(),
        "headers": {"Content-Type": f"multipart/form-data; boundary={boundary}"},
    }


def file(content: bytes, name: str = "a.bin", kind: str = "text/html") -> tuple[str, bytes]:
    head = f'Content-Disposition: form-data; name="file"; filename="{name}"\r\nContent-Type: {kind}'
    return head, content


def send(service: Service, content: bytes, **more: str) -> Answer:
    return service.call("POST", "/v1/uploads", **form(file(content, **more)))


def announce(service: Service, **fields: Any) -> Answer:
    body = {"filename": "a.html", "content_type": "text/html", "bytes": 5} | fields
    return service.call("POST", "/v1/uploads", json_body=body)


def arrive(service: Service, upload_id: str, content: bytes) -> None:
    """Put what was announced where its form puts it."""
    key = f"tmp/uploads/{service.workspace}/{upload_id}.arriving"
    service.clients.s3.put_object(Bucket=service.settings.bucket, Key=key, Body=content)
