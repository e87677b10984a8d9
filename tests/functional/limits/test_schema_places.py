"""Places for schema checks: a workspace has two for requests that hold no other place."""

import datetime as dt
import time
from collections.abc import Callable
from typing import Any

import pytest

from chalicelib.adapters.aws.table import Write
from chalicelib.core.clock import format_rfc3339
from chalicelib.core.errors import FieldError
from chalicelib.features.workspaces.limits.model import limits_partition
from chalicelib.features.workspaces.limits.schema_places.repository import PLACES
from tests.builders.http import ApiAnswer
from tests.builders.service import Service
from tests.builders.templates import make_template, post_template, put_draft, render_template

SCHEMA = {"type": "object"}

type Send = Callable[[], ApiAnswer]


class NestedChecks:
    """Validator that sends a request while it checks, up to a depth."""

    def __init__(self, service: Service) -> None:
        service.schemas = self
        self.inside: list[Send] = []
        self.answers: list[ApiAnswer] = []

    def check_schema(self, *_: Any, **__: Any) -> list[FieldError]:
        if self.inside:
            self.answers.append(self.inside.pop()())
        return []

    validate = check_schema


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    return pauses


@pytest.fixture
def checks(service: Service) -> NestedChecks:
    return NestedChecks(service)


def async_render(service: Service) -> Send:
    path = make_template(service, schema=SCHEMA, publish=True)
    return lambda: render_template(service, path, data={}, mode="async")


def draft(service: Service) -> Send:
    path = make_template(service)
    return lambda: put_draft(service, path, html="<p>", schema=SCHEMA)


def new_template(service: Service) -> Send:
    return lambda: post_template(service, schema=SCHEMA)


REQUESTS = pytest.mark.parametrize("make", [async_render, draft, new_template])


@REQUESTS
def test_third_check_at_once_is_refused_after_a_wait(
    service: Service,
    checks: NestedChecks,
    no_pauses: list[float],
    make: Callable[[Service], Send],
) -> None:
    send = make(service)
    checks.inside = [send] * PLACES

    first = send()

    inner, outer = checks.answers
    assert (inner.status, inner.code) == (429, "concurrency_limited")
    assert int(inner.headers["Retry-After"]) >= 1
    assert sum(no_pauses) == pytest.approx(5)
    assert {first.status, outer.status} <= {200, 201, 202}
    # Nothing is left of the one that was refused.
    assert send().status in {200, 201, 202}
    assert len(service.limits()["holds"]) <= 3


def test_checks_of_a_neighbour_have_places_of_their_own(
    service: Service, checks: NestedChecks
) -> None:
    other = service.key("live", service.create_workspace())
    send = new_template(service)
    checks.inside = [lambda: post_template(service, key=other, schema=SCHEMA), send]

    assert send().status == 201
    assert [answer.status for answer in checks.answers] == [201, 201]


def test_sync_renders_have_the_places_of_the_plan(service: Service, checks: NestedChecks) -> None:
    path = make_template(service, schema=SCHEMA, publish=True)
    checks.inside = [lambda: render_template(service, path, data={})] * 4

    assert render_template(service, path, data={}).status == 200
    assert [answer.status for answer in checks.answers] == [200] * 4


def take_all(service: Service) -> None:
    """Take the places as requests do whose functions die then."""
    until = format_rfc3339(service.clock.now() + dt.timedelta(seconds=30))
    write = Write(
        service.main_table,
        key={"PK": limits_partition(service.workspace), "SK": "SCHEMAS"},
        update="ADD taken :places",
        values={":places": {f"{until}#{number}" for number in range(PLACES)}},
    )
    service.main_table.write(write)


def test_place_of_a_request_that_died_runs_out(service: Service) -> None:
    send = new_template(service)
    take_all(service)
    assert send().code == "concurrency_limited"

    service.clock.advance(seconds=31)

    assert send().status == 201


def test_few_requests_of_a_workspace_wait_at_a_time(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    send = new_template(service)
    take_all(service)
    waits: list[float] = []
    answers: list[ApiAnswer] = []
    depth = 0

    def send_another(pause: float) -> None:
        nonlocal depth
        waits.append(pause)
        if len(answers) == 0 and depth < 9:
            depth += 1
            answers.append(send())

    monkeypatch.setattr(time, "sleep", send_another)
    answers.append(send())

    assert {answer.code for answer in answers} == {"concurrency_limited"}
    assert depth == 4
    # The fifth has not waited, and the room is empty again.
    assert len(waits) == 4 * 6
    waits.clear()
    assert send().code == "concurrency_limited"
    assert len(waits) == 6
