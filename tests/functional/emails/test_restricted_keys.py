"""Email rules for keys with a template allowlist: rules of its templates, with texts of its own."""

from typing import Any, Final

import pytest

from tests.builders.email_connections import made_connection, use_plan
from tests.builders.email_rules import (
    RULES_PATH,
    create_rule,
    made_rule,
    rules_path,
    template_id_of,
)
from tests.builders.http import ApiAnswer
from tests.builders.service import Service

FORBIDDEN: Final = (403, "template_not_allowed_for_key")
NOT_FOUND: Final = (404, "not_found")
MEMBER: Final = "dev@example.com"


@pytest.fixture(autouse=True)
def _plan_with_email(service: Service) -> None:
    use_plan(service, "growth")
    service.operator.manage_members.add(service.workspace, MEMBER, "developer")
    service.operator.manage_members.verify(service.workspace, MEMBER)


def outcome(answer: ApiAnswer) -> tuple[int, str | None]:
    return answer.status, answer.code


def including(template_id: str) -> str:
    return f"{{% include '{template_id}' ignore missing %}}"


@pytest.mark.parametrize("field", ["html", "subject", "to", "condition"])
def test_texts_of_a_rule_include_templates_of_the_list_only(service: Service, field: str) -> None:
    mine, secret = template_id_of(service), template_id_of(service, html="secret")
    connection = made_connection(service)["id"]
    rule = made_rule(service, mine, connection)
    key = service.key("live", templates=[mine])
    slipped_in: dict[str, Any] = {field: f"1 %}}{including(secret)}{{% if 1"}
    path = f"{RULES_PATH}/{rule['id']}"
    draft = {"connection_id": connection, "to": "a@example.com", **slipped_in}

    created = create_rule(service, mine, connection, key=key, **slipped_in)
    changed = service.call("PATCH", path, json_body=slipped_in, key=key)
    shown = service.call(
        "POST", f"{RULES_PATH}/preview", json_body={"template_id": mine, "rule": draft}, key=key
    )
    shown_instead = service.call("POST", f"{path}/preview", json_body={"rule": draft}, key=key)
    body = {"rule": draft, "to": MEMBER}
    tested = service.call("POST", f"{path}/test", json_body=body, key=key)

    for answer, pointer in (
        (created, f"/{field}"),
        (changed, f"/{field}"),
        (shown, f"/rule/{field}"),
        (shown_instead, f"/rule/{field}"),
        (tested, f"/rule/{field}"),
    ):
        assert outcome(answer) == FORBIDDEN, answer.body
        assert [each["path"] for each in answer.json["errors"]] == [pointer]
    assert service.call("GET", path).json[field] == rule[field]


def test_stored_texts_run_as_they_are_stored(service: Service) -> None:
    mine, partial = template_id_of(service), template_id_of(service, html="<b>partial</b>")
    rule = made_rule(service, mine, html=including(partial))
    key = service.key("live", templates=[mine])

    shown = service.call("POST", f"{RULES_PATH}/{rule['id']}/preview", json_body={}, key=key)
    body = {"to": MEMBER}
    tested = service.call("POST", f"{RULES_PATH}/{rule['id']}/test", json_body=body, key=key)

    assert (shown.status, shown.json["html"]) == (200, "<b>partial</b>")
    assert tested.status == 202, tested.body


def test_rules_of_other_templates_are_not_there(service: Service) -> None:
    mine, other = template_id_of(service), template_id_of(service)
    made_rule(service, mine)
    rule = made_rule(service, other)
    key = service.key("live", templates=[mine])
    path = f"{RULES_PATH}/{rule['id']}"

    for method, target, body in (
        ("GET", path, None),
        ("PATCH", path, {"name": "x"}),
        ("DELETE", path, None),
        ("POST", f"{path}/preview", {}),
        ("POST", f"{path}/test", {"to": MEMBER}),
    ):
        answer = service.call(method, target, json_body=body, key=key)
        assert outcome(answer) == NOT_FOUND, (method, target)
    service.clock.advance(seconds=1)
    foreign = service.call("GET", rules_path(other), key=key)
    assert outcome(foreign) == FORBIDDEN
    listed = service.call("GET", rules_path(mine), key=key)
    assert listed.status == 200, listed.body
    assert [each["template_id"] for each in listed.json["data"]] == [mine]
