"""Objects at presigned URLs, for functions without rights and without the AWS client."""

import socket
from collections.abc import Collection
from http import HTTPStatus
from typing import Final

from chalicelib.engine.ports import DestinationUnreachableError

# Without s3:ListBucket, S3 answers 403 for an absent object.
_ABSENT: Final = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.FORBIDDEN})


class PresignedHttpObjects:
    """Reader of objects whose URLs the service itself has signed.

    Its requests are not guarded as those to hosts of tenants are: the store of one machine has a
    private address, and no tenant names these URLs.
    """

    def get(self, url: str, *, max_bytes: int, timeout_s: float) -> bytes | None:
        """Return the object at `url`, or None where it is absent or the URL has run out.

        Raises DestinationUnreachableError, also for an object that is larger than `max_bytes`.
        """
        # httpx is imported only where something is requested.
        from chalicelib.adapters.net.http import HttpClient  # noqa: PLC0415

        with HttpClient(_connect) as client:
            response = client.request("GET", url, max_bytes=max_bytes, timeout_s=timeout_s)
        if response.status in _ABSENT:
            return None
        if response.status != HTTPStatus.OK:
            raise DestinationUnreachableError(f"the store answered {response.status}")
        if response.is_truncated:
            raise DestinationUnreachableError(f"the object has more than {max_bytes} bytes")
        return response.content


def _connect(
    host: str, port: int, *, timeout_s: float, ports: Collection[int], exempt_only: bool
) -> socket.socket:
    del ports, exempt_only
    try:
        connection = socket.create_connection((host, port), timeout_s)
    except OSError as error:
        raise DestinationUnreachableError("the store could not be connected to") from error
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection
