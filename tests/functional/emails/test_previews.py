"""Previews of emails: of rules that are saved, and of drafts."""

from typing import Any, Final

import pytest

from tests.builders.email_connections import made_connection, use_plan
from tests.builders.email_rules import RULES_PATH, made_rule, template_id_of
from tests.builders.http import ApiAnswer
from tests.builders.service import Service

DATA: Final = {"email": "ada@example.com", "n": 7, "total": 9}


@pytest.fixture(autouse=True)
def _plan_with_email(service: Service) -> None:
    use_plan(service, "growth")


def preview_draft(service: Service, data: Any = DATA, **texts: Any) -> ApiAnswer:
    rule = {"connection_id": made_connection(service)["id"], "to": "{{ email }}", **texts}
    body = {"template_id": template_id_of(service), "rule": rule, "data": data}
    return service.call("POST", f"{RULES_PATH}/preview", json_body=body)


def test_preview_shows_the_email(service: Service) -> None:
    answer = preview_draft(
        service,
        subject="No {{ n }}",
        html="<p>{{ email }} {{ downloads }} {{ render.files[0].format }}</p>",
        name="ignored",
        cc='"Doe, J" <j@x.org>',
        attachments="link",
    )
    shown = answer.json

    assert answer.status == 200, answer.body
    assert shown.pop("from_email")
    assert shown == {
        "send": True,
        "skip_reason": None,
        "error": None,
        "from_name": shown["from_name"],
        "reply_to": shown["reply_to"],
        "to": [{"email": "ada@example.com", "name": None}],
        "cc": [{"email": "j@x.org", "name": "Doe, J"}],
        "bcc": [],
        "subject": "No 7",
        "html": "<p>ada@example.com {{ downloads }} pdf</p>",
        "text": "ada@example.com {{ downloads }} pdf",
        "attachments": [{"format": "pdf", "mode": "linked"}],
        "provider_template": None,
        "recipient_errors": [],
    }


def test_false_condition_sends_nothing(service: Service) -> None:
    shown = preview_draft(service, condition="total > 10", subject="x").json

    assert (shown["send"], shown["skip_reason"], shown["error"]) == (False, "condition_false", None)


@pytest.mark.parametrize(
    ("texts", "code", "field"),
    [
        ({"subject": "\n {{ 1 // 0 }}"}, "email_template_error", "subject"),
        ({"html": "{% if %}"}, "email_template_error", "html"),
        ({"condition": "1 %}{{ 1 }}{% if 1"}, "email_template_error", "condition"),
        ({"to": "nobody"}, "email_address_invalid", None),
        ({"to": ""}, "email_recipient_missing", "to"),
    ],
)
def test_fault_of_a_text_is_the_error_of_the_preview(
    service: Service, texts: dict[str, Any], code: str, field: str | None
) -> None:
    answer = preview_draft(service, **texts)

    assert answer.status == 200, answer.body
    assert answer.json["send"] is False
    assert (answer.json["error"]["code"], answer.json["error"]["field"]) == (code, field)


def test_entries_that_are_no_addresses_are_shown(service: Service) -> None:
    assert preview_draft(service, to="a@x.org; nobody").json["recipient_errors"] == ["nobody"]


def test_saved_rule_is_shown_with_its_template_s_default_dataset(service: Service) -> None:
    rule = made_rule(service)
    path = f"/v1/templates/{rule['template_id']}/datasets"
    dataset = service.call("POST", path, json_body={"name": "a", "data": DATA})
    assert dataset.status == 201, dataset.body

    shown = service.call("POST", f"{RULES_PATH}/{rule['id']}/preview", json_body={}).json
    changed = {"rule": {"to": "b@x.org", "subject": None}, "dataset_id": dataset.json["id"]}
    edited = service.call("POST", f"{RULES_PATH}/{rule['id']}/preview", json_body=changed).json

    assert (shown["to"][0]["email"], shown["subject"]) == ("ada@example.com", "Invoice 7")
    assert (edited["to"][0]["email"], edited["subject"]) == ("b@x.org", "")


def test_preview_needs_what_it_names(service: Service) -> None:
    rule = made_rule(service)
    path = f"{RULES_PATH}/{rule['id']}/preview"

    assert service.call("POST", f"{RULES_PATH}/emr_x/preview", json_body={}).status == 404
    assert service.call("POST", path, json_body={"dataset_id": "ds_x"}).status == 404
    unknown = service.call("POST", path, json_body={"rule": {"connection_id": "emc_x"}})
    assert unknown.json["errors"][0]["path"] == "/rule/connection_id"
    draft = {"template_id": rule["template_id"], "rule": {"to": "a@x.org"}}
    missing = service.call("POST", f"{RULES_PATH}/preview", json_body=draft)
    assert missing.json["errors"][0]["path"] == "/rule/connection_id"
