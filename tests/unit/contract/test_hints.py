"""Hints of messages: what was meant is shown, and what may be a secret is not repeated."""

from typing import Any

import pytest

from chalicelib.contract.render.request import RenderRequest
from chalicelib.contract.validation import read_body
from chalicelib.core import json
from chalicelib.core.errors import ServiceError

HTML: dict[str, Any] = {"type": "html", "html": "x"}


def messages(members: dict[str, Any]) -> str:
    body = {"input": HTML, **members}
    with pytest.raises(ServiceError) as refusal:
        read_body(RenderRequest, json.dumps(body).encode(), body)
    return " ".join(error.message for error in refusal.value.errors)


@pytest.mark.parametrize(
    "members",
    [
        {"output": {"http": {"basic_auth": "ada:s3cr3t"}}},
        {"output": {"http": {"cookies": "session=s3cr3t"}}},
        {"output": {"pdf": {"protection": "s3cr3t"}}},
        {"webhook": "https://ada:s3cr3t@example.com"},
        {"webhook": "https://example.com/?s3cr3t"},
        {"input": "https://example.com/?s3cr3t"},
    ],
)
def test_a_text_that_may_be_a_secret_is_not_repeated(members: dict[str, Any]) -> None:
    message = messages(members)

    assert "s3cr3t" not in message
    assert "such as" in message


def test_a_password_that_is_a_number_is_not_repeated() -> None:
    protection = {"user_password": 904117}

    assert messages({"output": {"pdf": {"protection": protection}}}) == "must be a string"


def test_a_plain_address_and_a_plain_number_are_repeated() -> None:
    assert '"https://example.com/a"' in messages({"webhook": "https://example.com/a"})
    assert '"5"' in messages({"input": {"type": "html", "html": 5}})
