"""Email rules of templates, made by requests."""

from collections.abc import Callable
from typing import Any, Final

from tests.builders.email_connections import made_connection, use_plan
from tests.builders.http import ApiAnswer
from tests.builders.service import Service
from tests.builders.templates import TEMPLATES_PATH, make_template, render_template

RULES_PATH: Final = "/v1/email-rules"


def rules_path(template_id: str) -> str:
    """Return the path of a template's rules."""
    return f"{TEMPLATES_PATH}/{template_id}/email-rules"


def template_id_of(service: Service, **fields: Any) -> str:
    """Make a published template and return its id."""
    return make_template(service, **{"publish": True} | fields).rpartition("/")[2]


def create_rule(service: Service, template_id: str, connection_id: str, **fields: Any) -> ApiAnswer:
    usual = {
        "name": "To the customer",
        "connection_id": connection_id,
        "to": "{{ email }}",
        "subject": "Invoice {{ n }}",
    }
    key = fields.pop("key", service.live)
    return service.call("POST", rules_path(template_id), json_body=usual | fields, key=key)


def made_rule(
    service: Service,
    template_id: str | None = None,
    connection_id: str | None = None,
    **fields: Any,
) -> dict[str, Any]:
    """Make a rule, with a template and a connection unless they are given."""
    template_id = template_id or template_id_of(service)
    connection_id = connection_id or made_connection(service)["id"]
    answer = create_rule(service, template_id, connection_id, **fields)
    assert answer.status == 201, answer.body
    created: dict[str, Any] = answer.json
    return created


def change_rule(service: Service, rule: dict[str, Any], **fields: Any) -> ApiAnswer:
    return service.call("PATCH", f"{RULES_PATH}/{rule['id']}", json_body=fields)


def listed(service: Service, template_id: str) -> list[dict[str, Any]]:
    answer = service.call("GET", rules_path(template_id))
    assert answer.status == 200, answer.body
    rules: list[dict[str, Any]] = answer.json["data"]
    return rules


def email_rules_of_every_size(service: Service) -> None:
    """Make, change, list and delete email rules, and purge them with their template."""
    before = service.services.workspaces.get(service.workspace)
    assert before is not None
    use_plan(service, "scale")
    template_id = template_id_of(service)
    brevo = {"provider": "brevo", "config": {}}
    connection = made_connection(service, **brevo)["id"]
    rules = [made_rule(service, template_id, connection, html="x" * size) for size in (1, 200_000)]
    for rule in rules:
        assert change_rule(service, rule, html="x" * 100_000, position=0).status == 200
    assert len(listed(service, template_id)) == 2
    assert render_template(service, f"/v1/templates/{template_id}").status == 200
    assert service.call("DELETE", f"{RULES_PATH}/{rules[0]['id']}").status == 204
    assert service.call("DELETE", f"/v1/templates/{template_id}").status == 200
    service.clock.advance(days=30)
    service.process_due()
    assert service.call("GET", f"{RULES_PATH}/{rules[1]['id']}").code == "not_found"
    use_plan(service, before.plan_code)


def _save_a_faulty_text(service: Service) -> ApiAnswer:
    use_plan(service, "growth")
    return change_rule(service, made_rule(service), subject="{{")


def _delete_a_used_connection(service: Service) -> ApiAnswer:
    use_plan(service, "growth")
    rule = made_rule(service)
    return service.call("DELETE", f"/v1/email-connections/{rule['connection_id']}")


def _send_what_is_not_kept(service: Service) -> ApiAnswer:
    use_plan(service, "growth")
    rule = made_rule(service)
    source = {"type": "template", "template_id": rule["template_id"]}
    delivery = {"type": "binary", "retention": "none", "email": [{"rule_id": rule["id"]}]}
    return service.render(input=source, delivery=delivery)


# By code of the catalogue: a request that is answered with it.
PROVOKED_EMAIL_ERRORS: Final[dict[str, Callable[[Service], ApiAnswer]]] = {
    "email_template_error": _save_a_faulty_text,
    "email_connection_in_use": _delete_a_used_connection,
    "email_needs_hosted_file": _send_what_is_not_kept,
}
