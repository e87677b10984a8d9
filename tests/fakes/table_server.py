"""Tables of a session of tests: dynoxide in memory."""

import itertools
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import botocore
from botocore.awsrequest import AWSResponse
from moto.core.botocore_stubber import MockRawResponse
from moto.core.models import botocore_stubber

from infra.local.paths import StackFolder
from infra.local.processes import Spawner
from tests.builders.open_emulators import start_open_dynoxide

# dynoxide asks for a signature, and does not check it.
_SIGNED: Final = {
    "Authorization": "AWS4-HMAC-SHA256 Credential=test/20261121/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host, Signature=0",
    "X-Amz-Date": "20261121T120000Z",
}
_MAX_BATCH: Final = 25


class TableServer:
    """A running dynoxide; a call costs a tenth of the processor time that it takes in moto."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._idle: list[HTTPConnection] = []

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
            connection = HTTPConnection(urlsplit(self.url).netloc)
        connection.request("POST", "/", request.body, {**request.headers, **_SIGNED})
        answer = connection.getresponse()
        headers: Any = answer.headers
        body = MockRawResponse(answer.read())
        self._idle.append(connection)
        return AWSResponse(request.url, answer.status, headers, body)


def _choose_no_signer(**_: object) -> object:
    """Choose that a request is not signed (event `choose-signer` of botocore)."""
    return botocore.UNSIGNED


@contextmanager
def running_tables() -> Iterator[TableServer]:
    """Run dynoxide during the block; it ends with this process.

    All accounts and regions share one name space, so each test names its own tables.
    """
    spawner = Spawner()
    with tempfile.TemporaryDirectory() as folder:
        process = start_open_dynoxide(StackFolder(Path(folder)), spawner)
        try:
            process.wait()
            server = TableServer(process.url)
            yield server
            server.close()
        finally:
            process.stop()
            spawner.close()
