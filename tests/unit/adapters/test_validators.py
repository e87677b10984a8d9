"""The validators behind their function: large documents go by an object, failures say nothing."""

from collections.abc import Mapping
from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from chalicelib.adapters.aws.functions import (
    FunctionBusy,
    FunctionDied,
    FunctionLate,
    LambdaFunction,
)
from chalicelib.adapters.aws.remote_validator import MAX_INLINE_BYTES, RemoteValidator
from chalicelib.engine.conformance.checks import ConformanceCheck, RawFinding, Verdict
from chalicelib.engine.deadline import Deadline
from tests.unit.adapters.test_functions import FakeClients

CHECKS = [ConformanceCheck.pdfa("3b"), ConformanceCheck.pdfua()]
FOUND = RawFinding("verapdf", "error", "ISO 14289-1:2014 5:1", "not said", "root", 1)
VERDICTS = [Verdict((), "veraPDF"), Verdict((FOUND,), "veraPDF")]


class FakeObjects:
    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def put(self, key: str, body: bytes, **_options: Any) -> None:
        self.kept[key] = body

    def delete(self, key: str) -> None:
        del self.kept[key]


class FakeFunction:
    def __init__(self, objects: FakeObjects, failure: Exception | None = None) -> None:
        self._objects = objects
        self._failure = failure
        self.refusals = 0
        self.asked: list[Mapping[str, Any]] = []
        self.seen: list[bytes] = []
        self.more: dict[str, Any] = {}
        self.answer: dict[str, Any] | None = None

    def invoke(self, event: Mapping[str, Any], *, wait_s: float) -> dict[str, Any]:
        assert wait_s > 0
        self.asked.append(event)
        self.seen += [self._objects.kept[event["key"]]] if "key" in event else []
        if len(self.asked) <= self.refusals:
            raise FunctionBusy("f")
        if self._failure is not None:
            raise self._failure
        return self.answer or self.more | {"verdicts": [self._told(each) for each in VERDICTS]}

    def _told(self, verdict: Verdict) -> dict[str, Any]:
        plain = verdict.to_json()
        findings = [{**finding, **self.more} for finding in plain["findings"]]
        return {**plain, **self.more, "findings": findings}


def validator(
    failure: Exception | None = None,
) -> tuple[RemoteValidator, FakeFunction, FakeObjects]:
    objects = FakeObjects()
    function = FakeFunction(objects, failure)
    return RemoteValidator(function, objects), function, objects  # type: ignore[arg-type]


def test_a_small_document_goes_along_and_its_verdicts_come_back() -> None:
    remote, function, objects = validator()

    assert remote.validate(b"%PDF", CHECKS, Deadline.after(9)) == VERDICTS
    assert function.asked[0]["content"] == "JVBERg=="
    assert function.asked[0]["checks"][0] == CHECKS[0].to_json()
    assert objects.kept == {}


@pytest.mark.parametrize("failure", [None, FunctionLate("f")])
def test_a_large_document_is_kept_no_longer_than_the_call(failure: Exception | None) -> None:
    large = b"x" * (MAX_INLINE_BYTES + 1)
    remote, function, objects = validator(failure)

    remote.validate(large, CHECKS, Deadline.after(9))

    assert function.seen == [large]
    assert objects.kept == {}


def test_a_verdict_counts_also_where_the_document_cannot_be_taken_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    remote, _, _ = validator()

    def refuse(*_: Any) -> None:
        raise ClientError({"Error": {"Code": "SlowDown"}}, "DeleteObject")

    monkeypatch.setattr(FakeObjects, "delete", refuse)

    assert remote.validate(b"x" * (MAX_INLINE_BYTES + 1), CHECKS, Deadline.after(9)) == VERDICTS


def test_validators_that_have_no_room_are_asked_again() -> None:
    remote, function, _ = validator()
    function.refusals = 2

    assert remote.validate(b"%PDF", CHECKS, Deadline.after(60)) == VERDICTS
    assert len(function.asked) == 3


def test_few_clients_wait_for_verdicts_however_much_time_there_is() -> None:
    clients = FakeClients(ReadTimeoutError(endpoint_url="https://lambda.test"))
    remote = RemoteValidator(LambdaFunction(clients, "f"), FakeObjects())  # type: ignore[arg-type]

    for left_s in range(1, 301):
        remote.validate(b"%PDF", CHECKS, Deadline.after(left_s))

    assert len(clients.waits) == 10


def test_a_large_document_of_which_nothing_may_be_kept_has_no_verdict() -> None:
    remote, function, _ = validator()

    told = remote.validate(
        b"x" * (MAX_INLINE_BYTES + 1), CHECKS, Deadline.after(9), may_store=False
    )

    assert [verdict.findings for verdict in told] == [None, None]
    assert function.asked == []


@pytest.mark.parametrize(
    "failure",
    [
        FunctionBusy("f"),
        FunctionDied("f"),
        FunctionLate("f"),
        ClientError({"Error": {"Code": "ResourceNotFoundException"}}, "Invoke"),
    ],
    ids=lambda failure: type(failure).__name__,
)
def test_whatever_fails_there_is_no_verdict(failure: Exception) -> None:
    remote, _, _ = validator(failure)

    told = remote.validate(b"%PDF", CHECKS, Deadline.after(1))

    assert [verdict.findings for verdict in told] == [None, None]


def test_without_time_nobody_is_asked() -> None:
    remote, function, _ = validator()

    assert remote.validate(b"%PDF", CHECKS, Deadline.after(0))[0].findings is None
    assert function.asked == []


def test_what_a_newer_release_tells_beside_its_verdicts_is_passed_over() -> None:
    remote, function, _ = validator()
    function.more = {"advice": "none"}

    assert remote.validate(b"%PDF", CHECKS, Deadline.after(9)) == VERDICTS


@pytest.mark.parametrize(
    "answer",
    [
        {"v": 2},
        {"verdicts": None},
        {"verdicts": []},
        {"verdicts": [{"result": "ok"}] * len(CHECKS)},
        {"verdicts": [{**VERDICTS[0].to_json(), "findings": [{"rule": "x"}]}] * len(CHECKS)},
    ],
)
def test_an_answer_that_this_release_cannot_read_is_no_verdict(answer: dict[str, Any]) -> None:
    remote, function, _ = validator()
    function.answer = answer

    told = remote.validate(b"%PDF", CHECKS, Deadline.after(9))

    assert [verdict.findings for verdict in told] == [None, None]
