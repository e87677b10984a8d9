"""Email rules: create, read, change and delete, and their order."""

from typing import Any, Final

import pytest

from tests.builders.email_connections import made_connection, pointers, use_plan
from tests.builders.email_rules import (
    RULES_PATH,
    change_rule,
    create_rule,
    listed,
    made_rule,
    rules_path,
    template_id_of,
)
from tests.builders.service import Service

# A character of two bytes.
WIDE: Final = "ü"
BREVO: Final[dict[str, Any]] = {"provider": "brevo", "config": {}, "credentials": {"api_key": "k"}}


@pytest.fixture(autouse=True)
def _plan_for_many_requests(service: Service) -> None:
    use_plan(service, "scale")


def rule_rows(service: Service) -> list[str]:
    pk = {":pk": f"WS#{service.workspace}#EMC"}
    page = service.main_table.query("PK = :pk", pk)
    return [row["SK"] for row in page.items if row["SK"].startswith("emr_")]


def test_rule_has_all_its_fields(service: Service) -> None:
    template_id, connection_id = template_id_of(service), made_connection(service)["id"]
    answer = create_rule(service, template_id, connection_id)
    shown = answer.json

    assert answer.headers["Location"] == f"https://api.test{RULES_PATH}/{shown['id']}"
    assert shown.pop("warnings") == []
    assert shown == {
        "id": shown["id"],
        "object": "email_rule",
        "name": "To the customer",
        "template_id": template_id,
        "connection_id": connection_id,
        "enabled": True,
        "position": 0,
        "attachments": "attach_or_link",
        "attach_formats": [],
        "condition": "",
        "from_email": None,
        "from_name": "",
        "reply_to": "",
        "to": "{{ email }}",
        "cc": "",
        "bcc": "",
        "subject": "Invoice {{ n }}",
        "html": "",
        "text": "",
        "provider_template": None,
        "created_at": shown["created_at"],
        "updated_at": shown["created_at"],
    }
    assert service.call("GET", f"{RULES_PATH}/{shown['id']}").json == shown
    assert listed(service, template_id) == [shown]


def test_change_replaces_the_given_fields(service: Service) -> None:
    other = made_connection(service, **BREVO)
    rule = made_rule(service, html="<p>", from_email="a@example.com")
    service.clock.advance(seconds=60)
    template = {"id": 7, "params": "{}"}

    changed = change_rule(
        service, rule, connection_id=other["id"], provider_template=template, from_email="", cc="c"
    ).json

    expected = {"connection_id": other["id"], "provider_template": template, "cc": "c"}
    moved = {"from_email": None, "updated_at": changed["updated_at"]}
    assert changed == rule | expected | moved
    assert changed["updated_at"] > rule["updated_at"]


def test_rule_with_the_longest_texts_is_kept(service: Service) -> None:
    # The texts take more than one item can hold.
    texts = dict.fromkeys(("condition", "from_name", "reply_to", "to", "cc", "bcc"), WIDE * 16384)
    texts |= {"condition": "'" + WIDE * 16_382 + "'", "subject": WIDE * 16_384}
    texts |= {"text": WIDE * 16_384, "html": WIDE * 262_144}
    template = {"id": 1, "params": WIDE * 65_536}
    brevo = made_connection(service, **BREVO)["id"]

    rule = made_rule(service, connection_id=brevo, provider_template=template, **texts)
    del rule["warnings"]

    assert service.call("GET", f"{RULES_PATH}/{rule['id']}").json == rule
    assert {name: rule[name] for name in texts} == texts
    assert rule["provider_template"] == template
    assert listed(service, rule["template_id"]) == [rule]


def test_pieces_of_replaced_and_deleted_texts_are_removed(service: Service) -> None:
    rule = made_rule(service, html=WIDE * 262_144)
    whole = rule_rows(service)

    assert change_rule(service, rule, html="short").status == 200
    shortened = rule_rows(service)
    assert change_rule(service, rule, html=WIDE * 100_000).status == 200
    assert service.call("DELETE", f"{RULES_PATH}/{rule['id']}").status == 204

    assert len(whole) == 3
    assert shortened == [rule["id"]]
    assert rule_rows(service) == []


def test_list_too_large_for_one_answer_goes_on(service: Service) -> None:
    template_id, connection_id = template_id_of(service), made_connection(service)["id"]
    made = [
        made_rule(service, template_id, connection_id, html=WIDE * 262_144)["id"] for _ in range(3)
    ]

    path = rules_path(template_id)
    first = service.call("GET", path).json
    second = service.call("GET", f"{path}?cursor={first['next_cursor']}").json

    assert [each["id"] for each in first["data"] + second["data"]] == made
    assert (first["has_more"], second["has_more"]) == (True, False)


def test_rules_go_with_their_template(service: Service) -> None:
    connection = made_connection(service)
    template_id = template_id_of(service)
    rule = made_rule(service, template_id, connection["id"])
    one = f"{RULES_PATH}/{rule['id']}"

    assert service.call("DELETE", f"/v1/templates/{template_id}").status == 200
    in_trash = service.call("GET", one)
    refused = create_rule(service, template_id, connection["id"])
    service.clock.advance(days=30)
    service.process_due()

    assert in_trash.status == 200
    assert refused.code == "template_deleted"
    assert service.call("GET", one).code == "not_found"
    assert service.call("DELETE", f"/v1/email-connections/{connection['id']}").status == 204


def test_rule_of_a_template_in_the_trash_can_be_deleted(service: Service) -> None:
    template_id = template_id_of(service)
    rule = made_rule(service, template_id)
    service.call("DELETE", f"/v1/templates/{template_id}")

    assert service.call("DELETE", f"{RULES_PATH}/{rule['id']}").status == 204
    assert listed(service, template_id) == []


def test_without_email_in_the_plan_rules_are_read_switched_off_and_deleted(
    service: Service,
) -> None:
    rule = made_rule(service)
    use_plan(service, "starter")

    created = create_rule(service, rule["template_id"], rule["connection_id"])
    on = change_rule(service, rule, enabled=True)
    renamed = change_rule(service, rule, enabled=False, name="x")
    service.clock.advance(seconds=1)
    off = change_rule(service, rule, enabled=False)

    assert {each.code for each in (created, on, renamed)} == {"feature_not_enabled"}
    assert created.status == 403
    assert off.json["enabled"] is False
    assert len(listed(service, rule["template_id"])) == 1
    assert service.call("DELETE", f"{RULES_PATH}/{rule['id']}").status == 204


def test_rules_of_other_workspaces_are_not_found(service: Service) -> None:
    rule = made_rule(service)
    key = service.key("live", workspace=service.create_workspace())
    one = f"{RULES_PATH}/{rule['id']}"

    at_template = rules_path(rule["template_id"])

    answers = [
        service.call("GET", one, key=key),
        service.call("PATCH", one, json_body={"name": "x"}, key=key),
        service.call("DELETE", one, key=key),
    ]

    assert {each.code for each in answers} == {"not_found"}
    assert service.call("GET", at_template, key=key).code == "template_not_found"
    foreign = create_rule(service, rule["template_id"], rule["connection_id"], key=key)
    assert foreign.code == "template_not_found"


def test_key_with_an_allowlist_sees_rules_of_its_templates_only(service: Service) -> None:
    mine, other = made_rule(service), made_rule(service)
    key = service.key("live", templates=(mine["template_id"],))

    own = service.call("GET", rules_path(mine["template_id"]), key=key)
    assert [each["id"] for each in own.json["data"]] == [mine["id"]]
    # The allowlist is checked before the lookup, so a missing template gets the same answer.
    for template_id in (other["template_id"], "tpl_0"):
        foreign = service.call("GET", rules_path(template_id), key=key)
        assert (foreign.status, foreign.code) == (403, "template_not_allowed_for_key")
    one = f"{RULES_PATH}/{other['id']}"
    assert service.call("GET", one, key=key).code == "not_found"
    assert service.call("DELETE", one, key=key).code == "not_found"
    refused = create_rule(service, other["template_id"], other["connection_id"], key=key)
    assert refused.code == "template_not_allowed_for_key"


def test_unverified_sender_is_saved_with_a_warning(service: Service) -> None:
    rule = made_rule(service)
    connections = service.services.emails.connections
    connection = connections.one(service.workspace, rule["connection_id"])
    senders = (
        {"email": "ok@example.com", "kind": "sender", "name": None, "verified": True},
        {"email": "no@example.com", "kind": "sender", "name": None, "verified": False},
        {"email": "example.org", "kind": "domain", "name": None, "verified": True},
    )
    connections.replace(connection._replace(senders=senders))

    def warned(address: str) -> list[dict[str, str]]:
        answer = change_rule(service, rule, from_email=address)
        assert answer.status == 200
        assert answer.json["from_email"] == (address or None)
        warnings: list[dict[str, str]] = answer.json["warnings"]
        return warnings

    assert [(each["code"], each["path"]) for each in warned("no@example.com")] == [
        ("email_sender_unverified", "/from_email")
    ]
    assert warned("other@example.com")
    assert warned("OK@example.com") == warned("any@example.org") == warned("") == []


@pytest.mark.parametrize("connection_id", ["emc_x", "emc_" + "0" * 26])
def test_unknown_connection_is_refused(service: Service, connection_id: str) -> None:
    rule = made_rule(service)

    changed = change_rule(service, rule, connection_id=connection_id)
    created = create_rule(service, rule["template_id"], connection_id)

    assert pointers(changed) == pointers(created) == ["/connection_id"]


def test_unknown_template_is_refused(service: Service) -> None:
    connection_id = made_connection(service)["id"]

    assert create_rule(service, "tpl_x", connection_id).code == "template_not_found"
    assert service.call("GET", rules_path("tpl_x")).code == "template_not_found"


def test_template_of_the_provider_goes_with_brevo_only(service: Service) -> None:
    smtp, brevo = made_connection(service)["id"], made_connection(service, **BREVO)["id"]
    template_id = template_id_of(service)
    template = {"id": 1}

    refused = create_rule(service, template_id, smtp, provider_template=template)
    made = made_rule(service, template_id, brevo, provider_template=template, subject="")

    assert pointers(refused) == ["/provider_template"]
    assert made["provider_template"] == {"id": 1, "params": ""}
    assert pointers(change_rule(service, made, connection_id=smtp)) == ["/provider_template"]
    assert pointers(change_rule(service, made, provider_template=None)) == ["/subject"]
