"""Validation ends with its caller, leaves time for storing, and is skipped where it is useless."""

import threading
from types import SimpleNamespace
from typing import Any, cast

import pytest

from chalicelib.adapters.aws import remote_validator
from chalicelib.bootstrap import render, validation
from chalicelib.engine import deadline
from chalicelib.engine.conformance.checks import NoValidator, Verdict, VerdictJson
from chalicelib.engine.job import EngineJob
from chalicelib.features.einvoices.validate_received import ValidationCall
from tests.builders.invoices.hybrids import INVOICE_XML
from tests.builders.service import Service
from tests.builders.validation_results import fake_validation, raw_finding
from tests.builders.waiting import PATIENCE_S

PDFA = {"pdf": {"pdfa": "2b"}}


def test_canceled_render_stops_during_validation(service: Service) -> None:
    judged, waited = threading.Event(), threading.Event()

    def verdicts(_order: dict[str, Any]) -> list[VerdictJson]:
        (row,) = service.call("GET", "/v1/renders").json["data"]
        assert service.call("POST", f"/v1/renders/{row['id']}/cancel").status == 200
        judged.wait(PATIENCE_S)
        waited.set()
        return [Verdict(()).to_json()]

    service.verdicts = verdicts

    answer = service.render(output=PDFA)

    assert (answer.status, answer.code) == (409, "conflict")
    assert not waited.is_set(), "the validators were waited for"
    judged.set()
    limits = service.limits()
    assert (limits["used"], limits["holds"], limits["leases"]) == (0, {}, {})
    assert service.objects() == []


def test_validation_leaves_time_for_storing_before_the_cancel_deadline(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_s: list[float] = []
    still = SimpleNamespace(monotonic=lambda: 1.0, time=lambda: 1.0)
    monkeypatch.setattr(deadline, "time", still)
    monkeypatch.setattr(remote_validator, "time", still)

    def verdicts(order: dict[str, Any]) -> list[VerdictJson]:
        left_s.append(order["until"] - still.time())
        return [Verdict(()).to_json()]

    def load(_job: EngineJob) -> None:
        service.clock.advance(seconds=18)

    service.verdicts, service.engine.before_run = verdicts, load

    answer = service.render(output=PDFA, timeout_behavior="cancel")

    assert (answer.status, answer.json["warnings"]) == (200, [])
    # The API waits 28 s in all, including the time for its answer.
    assert 5 < left_s[0] < 10 - 0.3 - 1


def test_oversized_document_is_not_validated(service: Service) -> None:
    validations = fake_validation(service, raw_finding())
    service.engine.page_count = 21

    answer = service.render(output={"pdf": {"pdfa": "2b", "max_pages": 20}})

    assert (answer.status, answer.code, validations) == (422, "page_limit_exceeded", [])


def test_validators_are_built_once_for_received_documents(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Any] = []

    def make(*_: Any) -> Any:
        made.append(lambda _workspace: NoValidator())
        return made[-1]

    monkeypatch.setattr(validation, "validators", make)
    names = {"main_table": "t", "bucket": "b", "engine_function": service.settings.engine_function}
    values = SimpleNamespace(validate_function="", tenancy="shared", **names)
    settings = cast("Any", values)
    examine = render.validate_received(settings, service.clients, service.clock)
    ends_at = service.clock.now().timestamp() + 60
    order = ValidationCall(service.workspace, "r", INVOICE_XML, None, ends_at)

    assert [examine(order)["invoice"] is None for _ in range(2)] == [False, False]
    assert len(made) == 1
