"""Remote validators: large documents go through the bucket, failures give no verdict."""

from collections.abc import Mapping
from typing import Any, override
from urllib.parse import urlsplit

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from chalicelib.adapters.aws.functions import (
    FunctionBusy,
    FunctionDied,
    FunctionLate,
    LambdaFunction,
)
from chalicelib.adapters.aws.remote_validator import MAX_INLINE_BYTES, RemoteValidator
from chalicelib.adapters.json_logs import log_context
from chalicelib.core.ids import WorkspaceId
from chalicelib.engine.conformance.checks import ConformanceCheck, RawFinding, Verdict
from chalicelib.engine.deadline import Deadline
from tests.builders.waiting import PATIENCE_S
from tests.unit.adapters.test_functions import FakeClients

TENANT = WorkspaceId("ws_a")
CHECKS = [ConformanceCheck.pdfa("3b"), ConformanceCheck.pdfua()]
FOUND = RawFinding("verapdf", "error", "ISO 14289-1:2014 5:1", "not said", "root", 1)
VERDICTS = [Verdict((), "veraPDF"), Verdict((FOUND,), "veraPDF")]


class StillDeadline(Deadline):
    """Deadline that stays as far away as it is."""

    @override
    def remaining_s(self) -> float:
        return 8.9


class FakeObjects:
    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def put(self, key: str, body: bytes, **_options: Any) -> None:
        self.kept[key] = body

    def presigned_get(self, key: str, *, expires_s: int) -> str:
        return f"https://store.test/{key}?expires={expires_s}"

    def at(self, url: str) -> bytes:
        return self.kept[urlsplit(url).path.removeprefix("/")]

    def delete(self, key: str) -> None:
        del self.kept[key]


class FakeFunction:
    def __init__(self, objects: FakeObjects, failure: Exception | None = None) -> None:
        self._objects = objects
        self._failure = failure
        self.refusals = 0
        self.invocations: list[Mapping[str, Any]] = []
        self.tenants: list[str | None] = []
        self.seen: list[bytes] = []
        self.more: dict[str, Any] = {}
        self.answer: dict[str, Any] | None = None

    def invoke(
        self, event: Mapping[str, Any], *, wait_s: float, tenant: str | None
    ) -> dict[str, Any]:
        assert wait_s > 0
        self.tenants.append(tenant)
        self.invocations.append(event)
        self.seen += [self._objects.at(event["url"])] if "url" in event else []
        if len(self.invocations) <= self.refusals:
            raise FunctionBusy("f")
        if self._failure is not None:
            raise self._failure
        return self.answer or self.more | {"verdicts": [self._told(each) for each in VERDICTS]}

    start = LambdaFunction.start

    def _told(self, verdict: Verdict) -> dict[str, Any]:
        plain = verdict.to_json()
        findings = [{**finding, **self.more} for finding in plain["findings"] or ()]
        return {**plain, **self.more, "findings": findings}


def validator(
    failure: Exception | None = None,
) -> tuple[RemoteValidator, FakeFunction, FakeObjects]:
    objects = FakeObjects()
    function = FakeFunction(objects, failure)
    remote = RemoteValidator(function, objects, TENANT)  # type: ignore[arg-type]
    return remote, function, objects


def test_small_document_is_sent_inline_and_its_verdicts_are_returned() -> None:
    remote, function, objects = validator()

    assert remote.validate(b"%PDF", CHECKS, Deadline.after(PATIENCE_S)) == VERDICTS
    assert function.invocations[0]["content"] == "JVBERg=="
    assert function.invocations[0]["checks"][0] == CHECKS[0].to_json()
    assert objects.kept == {}


def test_tenant_does_not_come_from_the_log_ids() -> None:
    remote, function, _ = validator()
    with log_context(workspace="ws_b", request_id="r"):
        remote.validate(b"%PDF", CHECKS, Deadline.after(PATIENCE_S))

    assert function.tenants == [TENANT]
    assert function.invocations[0]["workspace"] == "ws_b"


def test_address_of_a_large_document_runs_out_with_the_deadline() -> None:
    remote, function, _ = validator()

    remote.validate(b"x" * (MAX_INLINE_BYTES + 1), CHECKS, StillDeadline.after(0))

    assert function.invocations[0]["url"].endswith("?expires=10")


@pytest.mark.parametrize("failure", [None, FunctionLate("f")])
def test_large_document_is_stored_only_during_the_call(failure: Exception | None) -> None:
    large = b"x" * (MAX_INLINE_BYTES + 1)
    remote, function, objects = validator(failure)

    remote.validate(large, CHECKS, Deadline.after(PATIENCE_S))

    assert function.seen == [large]
    assert objects.kept == {}


def test_verdict_counts_although_the_document_cannot_be_deleted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    remote, _, _ = validator()

    def refuse(*_: Any) -> None:
        raise ClientError({"Error": {"Code": "SlowDown"}}, "DeleteObject")

    monkeypatch.setattr(FakeObjects, "delete", refuse)

    assert (
        remote.validate(b"x" * (MAX_INLINE_BYTES + 1), CHECKS, Deadline.after(PATIENCE_S))
        == VERDICTS
    )


def test_throttled_validators_are_invoked_again() -> None:
    remote, function, _ = validator()
    function.refusals = 2

    assert remote.validate(b"%PDF", CHECKS, Deadline.after(60)) == VERDICTS
    assert len(function.invocations) == 3


def test_number_of_validator_clients_is_bounded() -> None:
    clients = FakeClients(ReadTimeoutError(endpoint_url="https://lambda.test"))
    function = LambdaFunction(clients, "f")
    remote = RemoteValidator(function, FakeObjects(), TENANT)  # type: ignore[arg-type]

    for left_s in range(1, 301):
        remote.validate(b"%PDF", CHECKS, Deadline.after(left_s))

    assert len(clients.waits) == 10


def test_large_zero_retention_document_has_no_verdict() -> None:
    remote, function, _ = validator()

    verdicts = remote.validate(
        b"x" * (MAX_INLINE_BYTES + 1), CHECKS, Deadline.after(PATIENCE_S), may_store=False
    )

    assert [verdict.findings for verdict in verdicts] == [None, None]
    assert function.invocations == []


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
def test_any_failure_gives_no_verdict(failure: Exception) -> None:
    remote, _, _ = validator(failure)

    verdicts = remote.validate(b"%PDF", CHECKS, Deadline.after(1))

    assert [verdict.findings for verdict in verdicts] == [None, None]


def test_without_time_no_validator_is_invoked() -> None:
    remote, function, _ = validator()

    assert remote.validate(b"%PDF", CHECKS, Deadline.after(0))[0].findings is None
    assert function.invocations == []


def test_unknown_fields_of_a_newer_release_are_ignored() -> None:
    remote, function, _ = validator()
    function.more = {"advice": "none"}

    assert remote.validate(b"%PDF", CHECKS, Deadline.after(PATIENCE_S)) == VERDICTS


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
def test_unreadable_answer_is_no_verdict(answer: dict[str, Any]) -> None:
    remote, function, _ = validator()
    function.answer = answer

    verdicts = remote.validate(b"%PDF", CHECKS, Deadline.after(PATIENCE_S))

    assert [verdict.findings for verdict in verdicts] == [None, None]
