"""Tables of a session of tests: dynoxide in memory, and short connections to it."""

import itertools
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import botocore
from botocore.awsrequest import AWSResponse
from moto.core.botocore_stubber import MockRawResponse
from moto.core.models import botocore_stubber

from infra.local.emulators import start_dynoxide
from infra.local.paths import StackFolder
from infra.local.processes import Spawner

# dynoxide asks for a signature, and does not check it.
_HEAD: Final = (
    b"POST / HTTP/1.1\r\n"
    b"Host: localhost\r\n"
    b"Authorization: AWS4-HMAC-SHA256 Credential=test/20261121/us-east-1/dynamodb/aws4_request, "
    b"SignedHeaders=host, Signature=0\r\n"
    b"X-Amz-Date: 20261121T120000Z\r\n"
    b"Content-Type: application/x-amz-json-1.0\r\n"
    b"X-Amz-Target: %b\r\n"
    b"Content-Length: %d\r\n\r\n"
)

_MAX_BATCH: Final = 25


class TableServer:
    """A running dynoxide; a call costs a tenth of the processor time that it takes in moto."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._address = "127.0.0.1", urlsplit(url).port
        self._idle: list[_Connection] = []

    def connect(self, client: Any) -> None:
        """Send the requests of a DynamoDB client on connections of this object, unsigned.

        Signing them, and sending them through urllib3, takes longer than all else in a call.
        """
        events = client.meta.events
        events.unregister("before-send", botocore_stubber)
        events.register("before-send.dynamodb", self._send)
        events.register("choose-signer.dynamodb", _choose_no_signer)

    def empty(self, table: str, client: Any) -> None:
        """Delete all items of a table, whose keys are named as ours are."""
        pages = client.get_paginator("scan").paginate(
            TableName=table, ProjectionExpression="PK, SK"
        )
        requests = [{"DeleteRequest": {"Key": key}} for page in pages for key in page["Items"]]
        for batch in itertools.batched(requests, _MAX_BATCH, strict=False):
            answer = client.batch_write_item(RequestItems={table: batch})
            assert answer["UnprocessedItems"] == {}

    def close(self) -> None:
        """Close all connections."""
        while self._idle:
            self._idle.pop().close()

    def _send(self, request: Any, **_: object) -> AWSResponse:
        """Send a request, and return the response (event `before-send` of botocore)."""
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = _Connection(self._address)
        response = connection.send(request)
        self._idle.append(connection)
        return response


def _choose_no_signer(**_: object) -> object:
    """Choose that a request is not signed (event `choose-signer` of botocore)."""
    return botocore.UNSIGNED


class _Connection:
    """A connection that stays open from one request to the next."""

    def __init__(self, address: tuple[str, int | None]) -> None:
        self._socket = socket.create_connection(address)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._answers = self._socket.makefile("rb")

    def send(self, request: Any) -> AWSResponse:
        """Send a request, and return the response."""
        target, body = request.headers["X-Amz-Target"], request.body
        self._socket.sendall(_HEAD % (target, len(body)) + body)
        status = int(self._answers.readline().split()[1])
        headers: Any = {}
        while line := self._answers.readline().rstrip():
            name, _, value = line.decode().partition(": ")
            headers[name] = value
        content = self._answers.read(int(headers["content-length"]))
        return AWSResponse(request.url, status, headers, MockRawResponse(content))

    def close(self) -> None:
        """Close the connection."""
        self._answers.close()
        self._socket.close()


@contextmanager
def running_tables() -> Iterator[TableServer]:
    """Run dynoxide during the block; it ends with this process.

    All accounts and regions share one name space, so each test names its own tables.
    """
    spawner = Spawner()
    with tempfile.TemporaryDirectory() as folder:
        process = start_dynoxide(StackFolder(Path(folder)), spawner)
        try:
            process.wait()
            server = TableServer(process.url)
            yield server
            server.close()
        finally:
            process.stop()
            spawner.close()
