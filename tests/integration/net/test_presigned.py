"""Objects at presigned URLs, fetched without the AWS client."""

import pytest

from chalicelib.adapters.net.presigned import PresignedHttpObjects
from chalicelib.engine.ports import HostUnreachableError
from tests.builders.waiting import PATIENCE_S
from tests.fakes.raw_server import answer, raw_server

pytestmark = pytest.mark.integration


def response(status: int, body: bytes = b"document") -> bytes:
    head = f"HTTP/1.1 {status} Any\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def get(url: str) -> bytes | None:
    return PresignedHttpObjects().get(url, max_bytes=8, timeout_s=PATIENCE_S)


def test_object_is_returned() -> None:
    with raw_server(answer(response(200))) as server:
        assert get(server.url()) == b"document"


@pytest.mark.parametrize("status", [403, 404])
def test_absent_object_and_url_that_ran_out_are_none(status: int) -> None:
    with raw_server(answer(response(status))) as server:
        assert get(server.url()) is None


@pytest.mark.parametrize("body", [response(200, b"documents"), response(500), response(302)])
def test_other_answers_are_refused(body: bytes) -> None:
    with raw_server(answer(body)) as server, pytest.raises(HostUnreachableError):
        get(server.url())


def test_store_that_cannot_be_reached_is_refused() -> None:
    with raw_server(answer(response(200))) as server:
        url = server.url()

    with pytest.raises(HostUnreachableError, match="could not be connected"):
        get(url)
