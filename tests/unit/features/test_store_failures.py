"""Answers of stores that tell of another region."""

import pytest

from chalicelib.engine.ports import FetchResponse
from chalicelib.features.destinations.providers.failures import answer_failure

BODY = (
    b"<Error><Code>AuthorizationHeaderMalformed</Code><Message>theirs; expecting 'us-east-1'"
    b"</Message><Region>us-east-1</Region></Error>"
)


def answer(status: int, content: bytes = b"", **headers: str) -> FetchResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return FetchResponse("https://s3.example/b/k", status, named, content)


@pytest.mark.parametrize(
    "told",
    [
        answer(400, BODY),
        answer(301, x_amz_bucket_region="us-east-1"),
        answer(307, x_amz_bucket_region="us-east-1"),
        answer(400, x_amz_bucket_region="us-east-1"),
    ],
)
def test_region_that_a_store_expects_is_told(told: FetchResponse) -> None:
    failure = answer_failure(told)

    assert "in the region us-east-1" in str(failure)
    assert "theirs" not in str(failure)
    assert (failure.code, failure.is_final) == ("storage_rejected", True)


@pytest.mark.parametrize(
    "told",
    [
        answer(400, BODY.replace(b"<Region>us-east-1", b"<Region>Buy now! http://x")),
        answer(301, x_amz_bucket_region="see http://x"),
        answer(400, b"<Region>us-east-1</Region>"),
        answer(403, x_amz_bucket_region="us-east-1"),
        answer(400),
    ],
)
def test_other_text_of_a_store_is_not_repeated(told: FetchResponse) -> None:
    assert "in the region" not in str(answer_failure(told))
    assert "http://x" not in str(answer_failure(told))
