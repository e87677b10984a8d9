"""Objects at presigned URLs, for functions without rights and without the AWS client."""

import socket
from collections.abc import Collection
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from chalicelib.engine.ports import FetchResponse, HostUnreachableError, PresignedPost

if TYPE_CHECKING:
    from chalicelib.adapters.net.http import RequestOptions

# Without s3:ListBucket, S3 answers 403 for an absent object.
_ABSENT: Final = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.FORBIDDEN})
_MAX_ANSWER_BYTES: Final = 10_000


class PresignedHttpObjects:
    """Reader and writer of objects whose URLs the service itself has signed.

    Its requests are not guarded as those to hosts of tenants are: the store of one machine has a
    private address, and no tenant names these URLs.
    """

    def get(self, url: str, *, max_bytes: int, timeout_s: float) -> bytes | None:
        """Return the object at `url`, or None where it is absent or the URL has run out.

        Raises HostUnreachableError, also for an object that is larger than `max_bytes`.
        """
        response = _request("GET", url, {"max_bytes": max_bytes, "timeout_s": timeout_s})
        if response.status in _ABSENT:
            return None
        if response.status != HTTPStatus.OK:
            raise HostUnreachableError(f"the store answered {response.status}")
        if response.is_truncated:
            raise HostUnreachableError(f"the object has more than {max_bytes} bytes")
        return response.content

    def post(self, form: PresignedPost, content: bytes, *, timeout_s: float) -> None:
        """Store an object with a form; raises HostUnreachableError where it is refused."""
        import httpx  # noqa: PLC0415 -- as in `_request`

        upload = httpx.Request("POST", form.url, data=dict(form.fields), files={"file": content})
        options: RequestOptions = {
            "headers": {"Content-Type": upload.headers["Content-Type"]},
            "body": upload.read(),
            "max_bytes": _MAX_ANSWER_BYTES,
            "timeout_s": timeout_s,
        }
        response = _request("POST", form.url, options)
        if not HTTPStatus(response.status).is_success:
            raise HostUnreachableError(f"the store answered {response.status}")


def _request(method: str, url: str, options: "RequestOptions") -> FetchResponse:
    # httpx is imported only where something is requested.
    from chalicelib.adapters.net.http import HttpClient  # noqa: PLC0415

    with HttpClient(_connect) as client:
        return client.request(method, url, **options)


def _connect(
    host: str, port: int, *, timeout_s: float, ports: Collection[int], exempt_only: bool
) -> socket.socket:
    del ports, exempt_only
    try:
        connection = socket.create_connection((host, port), timeout_s)
    except OSError as error:
        raise HostUnreachableError("the store could not be connected to") from error
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection
