"""Concurrency leases of synchronous work that creates no render."""

import threading
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from chalicelib.adapters.aws.table import Throttled, Write
from chalicelib.core.errors import RenderFailure
from chalicelib.features.workspaces.change import WorkspaceChanges
from tests.builders import validation_results
from tests.builders.email_connections import made_connection
from tests.builders.email_rules import RULES_PATH, create_rule, template_id_of
from tests.builders.http import ApiAnswer
from tests.builders.invoices.hybrids import INVOICE_XML
from tests.builders.invoices.invoice_json import invoice_json
from tests.builders.service import Service
from tests.builders.storage_destinations import create_destination
from tests.builders.templates import make_template, post_template, publish_template
from tests.builders.waiting import PATIENCE_S

FAR: Final = 4_000_000_000
DATASET: Final = {"name": "A", "data": {"n": 1}}


def create_and_publish(service: Service) -> ApiAnswer:
    return publish_template(service, create(service))


def create(service: Service) -> str:
    return make_template(service, datasets=[DATASET])


def create_published(service: Service) -> ApiAnswer:
    return post_template(service, datasets=[DATASET], publish=True)


def preflight(service: Service) -> ApiAnswer:
    body = {"input": {"type": "html", "html": "{{ n }}"}, "data": {"n": 1}}
    return service.call("POST", "/v1/renders/preflight", json_body=body)


def validate(service: Service) -> ApiAnswer:
    validation_results.fake_validation(service)
    headers = {"Content-Type": "application/xml"}
    return service.call("POST", "/v1/einvoices/validate", body=INVOICE_XML, headers=headers)


def infer_schema(service: Service) -> ApiAnswer:
    return service.call("POST", f"{create(service)}/infer-schema")


def compile_template(service: Service) -> ApiAnswer:
    return publish_template(service, make_template(service, html="{{ n }}"))


def preview_rule(service: Service) -> ApiAnswer:
    rule = {"connection_id": made_connection(service)["id"], "to": "{{ to }}", "subject": "x"}
    body = {"template_id": template_id_of(service, html="<p>x"), "rule": rule}
    return service.call("POST", f"{RULES_PATH}/preview", json_body=body)


def create_email_rule(service: Service) -> ApiAnswer:
    template_id = template_id_of(service, html="<p>x")
    return create_rule(service, template_id, made_connection(service)["id"])


def create_templated_destination(service: Service) -> ApiAnswer:
    return create_destination(service, path_template="{{ n }}/{{ filename }}")


WORK: Final[dict[str, Callable[[Service], ApiAnswer]]] = {
    "publish": create_and_publish,
    "create_published": create_published,
    "preflight": preflight,
    "validate": validate,
    "infer_schema": infer_schema,
    "compile_template": compile_template,
    "preview_rule": preview_rule,
    "create_rule": create_email_rule,
    "create_destination": create_templated_destination,
}


@pytest.mark.parametrize("work", WORK)
def test_concurrency_is_bounded_by_the_plan(service: Service, work: str) -> None:
    leases = {f"rnd_{n}": FAR for n in range(50)}
    item = service.limits() | {"leases": leases}
    service.main_table.write(Write(service.main_table, item=item))

    answer = WORK[work](service)

    assert (answer.status, answer.code) == (429, "concurrency_limited")
    assert answer.headers["Retry-After"] == "1"
    assert answer.headers["RateLimit-Policy"] == '"requests";q=100;w=1'
    assert service.engine.jobs == []
    assert service.limits()["leases"] == leases


@pytest.mark.parametrize("work", sorted(set(WORK) - {"infer_schema"}))
def test_lease_is_held_while_the_function_works(service: Service, work: str) -> None:
    held = []

    def seen() -> Iterator[None]:
        while True:
            held.append(len(service.limits()["leases"]))
            yield None

    service.invoke_failures = seen()

    assert WORK[work](service).status in {200, 201}
    assert set(held) == {1}
    assert service.limits()["leases"] == {}


def test_preflight_without_a_page_and_publishing_without_templates_need_no_lease(
    service: Service,
) -> None:
    item = service.limits() | {"leases": {f"rnd_{n}": FAR for n in range(50)}}
    service.main_table.write(Write(service.main_table, item=item))
    body = {"profile": "EN16931", "invoice": invoice_json()}

    assert service.call("POST", "/v1/einvoices/preflight", json_body=body).json["ok"] is True
    assert publish_template(service, make_template(service, html="<p>x")).status == 201


@pytest.mark.parametrize("work", ["publish", "create_published"])
def test_publishing_renders_only_where_and_while_renders_are_accepted(
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


def test_dry_run_that_still_runs_after_failed_publishing_keeps_its_lease(service: Service) -> None:
    running, may_end = threading.Event(), threading.Event()

    def work(job: Any) -> None:
        if job.data["n"] == 1:
            running.set()
            assert may_end.wait(PATIENCE_S)
        elif running.wait(PATIENCE_S):
            raise RenderFailure("template_runtime_error", "n is 2.")

    service.engine.before_run = work
    path = make_template(service, datasets=[DATASET, {"name": "B", "data": {"n": 2}}])

    answer = publish_template(service, path)

    assert (answer.status, answer.code) == (422, "template_runtime_error")
    (until,) = service.limits()["leases"].values()
    assert 20 < until - service.clock.now().timestamp() <= 25
    may_end.set()


def test_failure_to_release_a_lease_does_not_fail_the_request(service: Service) -> None:
    def crowded(*_: object) -> None:
        raise Throttled

    service.services.limits.release = crowded  # type: ignore[assignment, method-assign]

    assert preflight(service).json["ok"] is True
    service.clock.advance(seconds=41)
    assert service.render().status == 200
    assert service.limits()["leases"] == {}
