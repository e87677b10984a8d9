"""Each code of the problem catalogue is provoked, here or with a browser."""

from collections.abc import Callable
from typing import Any, Final

import pytest

from chalicelib.api.routes import ENDPOINTS
from chalicelib.core.errors import ServiceError
from chalicelib.core.problems import PROBLEMS
from chalicelib.settings import ApiSettings
from tests.builders import (
    access_refusals,
    batches,
    email_rules,
    email_sends,
    signed_links,
    templates,
    validation_results,
)
from tests.builders.http import ApiAnswer
from tests.builders.lambda_client import FunctionKilled
from tests.builders.problem_catalogue import BROWSER_ERRORS, PRODUCT_OWNERS
from tests.builders.service import Service
from tests.functional.renders.test_sync_timeouts import busy, late

type Provoke = Callable[[Service], ApiAnswer]

PROVOKED: Final[dict[str, Provoke]] = {
    **access_refusals.PROVOKED_ACCESS_ERRORS,
    **batches.PROVOKED_BATCH_ERRORS,
    **email_sends.PROVOKED_EMAIL_ERRORS,
    **email_rules.PROVOKED_EMAIL_ERRORS,
    **signed_links.PROVOKED_LINK_ERRORS,
    **templates.PROVOKED_TEMPLATE_ERRORS,
    **validation_results.PROVOKED_VALIDATION_ERRORS,
}
FREE_WORKSPACE_LIMIT: Final = "free_workspace_limit"
# No answer has the code of a CSV row, and a batch without retention needs storage targets.
ELSEWHERE: Final = {FREE_WORKSPACE_LIMIT, "csv_row_invalid", "zero_retention"}
JSON: Final = {"Content-Type": "application/json"}


def provokes(code: str) -> Callable[[Provoke], Provoke]:
    def listed(provoke: Provoke) -> Provoke:
        assert code not in PROVOKED
        PROVOKED[code] = provoke
        return provoke

    return listed


@provokes("invalid_json")
def _(service: Service) -> ApiAnswer:
    return service.call("POST", "/v1/renders", body=b"{", headers=JSON)


@provokes("validation_error")
def _(service: Service) -> ApiAnswer:
    return service.render(mode="soon")


@provokes("payload_too_large")
def _(service: Service) -> ApiAnswer:
    key = service.key("live", service.create_workspace("free"))
    return service.render(input={"type": "html", "html": "x" * 1_000_001}, key=key)


@provokes("unsupported_media_type")
def _(service: Service) -> ApiAnswer:
    return service.call("POST", "/v1/renders", body=b"{}", headers={"Content-Type": "text/plain"})


@provokes("not_found")
def _(service: Service) -> ApiAnswer:
    return service.call("GET", "/v1/chairs")


@provokes("method_not_allowed")
def _(service: Service) -> ApiAnswer:
    return service.call("PUT", "/v1/renders", json_body={})


@provokes("internal_error")
def _(service: Service) -> ApiAnswer:
    service.settings = ApiSettings(**vars(service.settings) | {"main_table": "gone"})
    return service.call("GET", "/v1/renders")


@provokes("maintenance")
def _(service: Service) -> ApiAnswer:
    service.operator.service_states.set("maintenance", retry_after_s=7)
    answer = service.render()
    assert answer.headers["Retry-After"] == "7"
    return answer


@provokes("region_degraded")
def _(service: Service) -> ApiAnswer:
    service.invoke_failures = busy(service)
    return service.render(timeout_behavior="cancel")


@provokes("render_not_found")
def _(service: Service) -> ApiAnswer:
    return service.call("GET", "/v1/renders/rnd_01HZZZZZZZZZZZZZZZZZZZZZZZ")


@provokes("render_timeout")
def _(service: Service) -> ApiAnswer:
    service.invoke_failures = late(service)
    return service.render(timeout_behavior="cancel")


@provokes("render_lost")
def _(service: Service) -> ApiAnswer:
    def die(_job: Any) -> None:
        raise FunctionKilled

    service.engine.before_run = die
    return service.render()


@provokes("idempotency_in_progress")
def _(service: Service) -> ApiAnswer:
    key = {"Idempotency-Key": "k"}
    inside: list[ApiAnswer] = []
    service.engine.before_run = lambda _job: inside.append(service.render(headers=key))
    service.render(headers=key)
    return inside[0]


@provokes("idempotency_key_reused")
def _(service: Service) -> ApiAnswer:
    service.render(headers={"Idempotency-Key": "k"})
    return service.render(headers={"Idempotency-Key": "k"}, reference="another")


@provokes("conflict")
def _(service: Service) -> ApiAnswer:
    return service.call("POST", f"/v1/renders/{service.render().json['id']}/cancel")


@provokes("output_too_large")
def _(service: Service) -> ApiAnswer:
    service.engine.content = b"%PDF-" + bytes(20_000_001)
    return service.render(delivery={"type": "binary"})


@provokes("page_limit_exceeded")
def _(service: Service) -> ApiAnswer:
    service.engine.page_count = 3
    return service.render(output={"pdf": {"max_pages": 2}})


@provokes("template_not_found")
def _(service: Service) -> ApiAnswer:
    return service.render(input={"type": "template", "template_id": "tpl_1"})


@provokes("template_not_allowed_for_key")
def _(service: Service) -> ApiAnswer:
    key = service.key("live", templates=["tpl_1"])
    return service.render(input={"type": "template", "template_id": "tpl_2"}, key=key)


@provokes("invalid_signature")
def _(service: Service) -> ApiAnswer:
    url = service.render().json["files"][0]["url"].removeprefix("https://files.test")
    return service.call("GET", url[:-1], key=None)


@provokes("file_expired")
def _(service: Service) -> ApiAnswer:
    render = service.render().json
    service.call("DELETE", f"/v1/renders/{render['id']}/files")
    return service.call("GET", render["files"][0]["url"].removeprefix("https://files.test"))


@provokes("upload_not_found")
def _(service: Service) -> ApiAnswer:
    return service.render(input={"type": "html", "upload_id": "upl_01HZZZZZZZZZZZZZZZZZZZZZZZ"})


@pytest.mark.parametrize("code", sorted(PROVOKED))
def test_problem_answer_equals_the_catalogue_row(service: Service, code: str) -> None:
    problem = PROBLEMS[code]
    answer = PROVOKED[code](service)

    assert (answer.code, answer.status) == (code, problem.http_status)
    assert answer.json["title"] == problem.title
    if answer.status in {429, 503}:
        assert int(answer.headers["Retry-After"]) >= 1


def test_third_free_workspace_is_refused(service: Service) -> None:
    """Use the operator tool: no route creates workspaces."""
    for name in ("one", "two"):
        service.operator.create_workspace(name, owner="o@example.com", regions=["eu"])

    with pytest.raises(ServiceError) as refusal:
        service.operator.create_workspace("three", owner="o@example.com", regions=["eu"])

    assert refusal.value.code == FREE_WORKSPACE_LIMIT


def test_every_code_of_the_product_is_provoked() -> None:
    owned = {code for code, problem in PROBLEMS.items() if problem.owner in PRODUCT_OWNERS}
    named = {code for row in ENDPOINTS for code in row.problems}

    assert owned == PROVOKED.keys() | BROWSER_ERRORS.keys() | ELSEWHERE
    assert named <= owned
