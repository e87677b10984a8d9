"""What a caller waits for and no render is made of takes a place in the plan's concurrency."""

import threading
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from chalicelib.adapters.aws.table import Throttled, Write
from chalicelib.core.errors import RenderFailure
from chalicelib.features.workspaces.change import WorkspaceChanges
from tests.builders import validation_results
from tests.builders.http import ApiAnswer
from tests.builders.invoices.hybrids import INVOICE_XML
from tests.builders.service import Service
from tests.builders.templates import make_template, post_template, publish_template

FAR: Final = 4_000_000_000
DATASET: Final = {"name": "A", "data": {"n": 1}}


def published(service: Service) -> ApiAnswer:
    return publish_template(service, made(service))


def made(service: Service) -> str:
    return make_template(service, datasets=[DATASET])


def made_at_once(service: Service) -> ApiAnswer:
    return post_template(service, datasets=[DATASET], publish=True)


def preflighted(service: Service) -> ApiAnswer:
    body = {"input": {"type": "html", "html": "{{ n }}"}, "data": {"n": 1}}
    return service.call("POST", "/v1/renders/preflight", json_body=body)


def validated(service: Service) -> ApiAnswer:
    validation_results.fake_validation(service)
    headers = {"Content-Type": "application/xml"}
    return service.call("POST", "/v1/einvoices/validate", body=INVOICE_XML, headers=headers)


def inferred(service: Service) -> ApiAnswer:
    return service.call("POST", f"{made(service)}/infer-schema")


WORK: Final[dict[str, Callable[[Service], ApiAnswer]]] = {
    "published": published,
    "made_at_once": made_at_once,
    "preflighted": preflighted,
    "validated": validated,
    "inferred": inferred,
}


@pytest.mark.parametrize("work", WORK)
def test_nobody_does_more_at_once_than_the_plan_allows(service: Service, work: str) -> None:
    places = {f"rnd_{n}": FAR for n in range(50)}
    item = service.limits() | {"leases": places}
    service.services.tables.write(Write(service.settings.main_table, item=item))

    answer = WORK[work](service)

    assert (answer.status, answer.code) == (429, "concurrency_limited")
    assert answer.headers["Retry-After"] == "1"
    assert answer.headers["RateLimit-Policy"] == '"requests";q=100;w=1'
    assert service.engine.jobs == []
    assert service.limits()["leases"] == places


@pytest.mark.parametrize("work", sorted(set(WORK) - {"inferred"}))
def test_place_is_held_while_the_function_works(service: Service, work: str) -> None:
    held = []

    def seen() -> Iterator[None]:
        while True:
            held.append(len(service.limits()["leases"]))
            yield None

    service.invoke_failures = seen()

    assert WORK[work](service).status in {200, 201}
    assert held == [1]
    assert service.limits()["leases"] == {}


def test_looking_only_takes_no_place(service: Service) -> None:
    item = service.limits() | {"leases": {f"rnd_{n}": FAR for n in range(50)}}
    service.services.tables.write(Write(service.settings.main_table, item=item))
    body = {"input": {"type": "html", "html": "<p>x"}}

    assert service.call("POST", "/v1/renders/preflight", json_body=body).json["ok"] is True
    assert publish_template(service, make_template(service)).status == 201


@pytest.mark.parametrize("work", ["published", "made_at_once"])
def test_publishing_renders_only_where_and_while_renders_are_taken(
    service: Service, work: str
) -> None:
    service.operator.service_states.set("maintenance", retry_after_s=7)
    answer = WORK[work](service)
    assert (answer.code, answer.headers["Retry-After"]) == ("maintenance", "7")
    assert publish_template(service, make_template(service)).status == 201

    service.operator.service_states.set("normal")
    service.operator.change_workspace(service.workspace, WorkspaceChanges(regions=["us"]))
    service.clock.advance(seconds=11)
    assert WORK[work](service).code == "region_not_enabled"
    assert service.engine.jobs == []


def test_what_still_runs_when_publishing_has_failed_keeps_its_place(service: Service) -> None:
    running, may_end = threading.Event(), threading.Event()

    def work(job: Any) -> None:
        if job.data["n"] == 1:
            running.set()
            assert may_end.wait(30)
        elif running.wait(30):
            raise RenderFailure("template_runtime_error", "n is 2.")

    service.engine.before_run = work
    path = make_template(service, datasets=[DATASET, {"name": "B", "data": {"n": 2}}])

    answer = publish_template(service, path)

    assert (answer.status, answer.code) == (422, "template_runtime_error")
    (until,) = service.limits()["leases"].values()
    assert 20 < until - service.clock.now().timestamp() <= 25
    may_end.set()


def test_place_that_cannot_be_given_back_spoils_nothing(service: Service) -> None:
    def crowded(_place: object) -> None:
        raise Throttled

    service.services.limits.release_lease = crowded  # type: ignore[assignment, method-assign]

    assert preflighted(service).json["ok"] is True
    service.clock.advance(seconds=41)
    assert service.render().status == 200
    assert service.limits()["leases"] == {}
