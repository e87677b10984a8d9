"""Truncated responses: the call is repeated."""

import io
from collections.abc import Iterator
from typing import Any

import pytest
from boto3.session import Session
from botocore.awsrequest import AWSResponse
from botocore.config import Config
from botocore.exceptions import IncompleteReadError

from chalicelib.adapters.aws.session import retry_truncated_responses

ATTEMPTS = 4
WHOLE = b'{"Item": {"PK": {"S": "a"}}}'


class Wire:
    """Handler that answers the calls of a client with the next prepared response."""

    def __init__(self, *answers: bytes) -> None:
        self._answers: Iterator[bytes] = iter(answers)
        self.calls = 0
        session = Session()
        retry_truncated_responses(session.events)
        self.client: Any = session.client(
            "dynamodb",
            region_name="us-east-1",
            aws_access_key_id="a",
            aws_secret_access_key="b",
            config=Config(retries={"mode": "standard", "total_max_attempts": ATTEMPTS}),
        )
        events: Any = self.client.meta.events
        # Before moto, which may run in this process.
        events.register_first("before-send", self._answer)

    def _answer(self, **_: Any) -> AWSResponse:
        self.calls += 1
        headers: Any = {
            "Content-Length": str(len(WHOLE)),
            "Content-Type": "application/x-amz-json-1.0",
        }
        return AWSResponse("https://cloud.test", 200, headers, Raw(next(self._answers)))

    def get(self) -> dict[str, Any]:
        answer: dict[str, Any] = self.client.get_item(TableName="t", Key={"PK": {"S": "a"}})
        return answer


class Raw(io.BytesIO):
    def stream(self) -> Iterator[bytes]:
        yield self.getvalue()


@pytest.mark.parametrize("cut", [b"", WHOLE[:1], WHOLE[:-1]])
def test_truncated_answer_is_requested_again(cut: bytes) -> None:
    wire = Wire(*[cut] * (ATTEMPTS - 1), WHOLE)

    assert wire.get()["Item"] == {"PK": {"S": "a"}}
    assert wire.calls == ATTEMPTS


def test_answer_truncated_every_time_is_an_error_and_not_an_absent_item() -> None:
    wire = Wire(*[WHOLE[:9]] * (ATTEMPTS + 1))

    with pytest.raises(IncompleteReadError):
        wire.get()
    assert wire.calls == ATTEMPTS


def test_complete_answer_is_used_at_once() -> None:
    wire = Wire(WHOLE)

    assert wire.get()["Item"]
    assert wire.calls == 1
