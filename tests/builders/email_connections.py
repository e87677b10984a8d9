"""Email connections of a workspace, made by requests."""

from typing import Any, Final

from chalicelib.features.workspaces.change import WorkspaceChanges
from tests.builders.http import ApiAnswer
from tests.builders.service import Service

PATH: Final = "/v1/email-connections"
SENDER: Final = {"email": "billing@example.com", "name": "Müller & Söhne"}
SMTP: Final = {"host": "smtp.example.com", "port": 587, "username": "mailer"}


def use_plan(service: Service, plan: str) -> None:
    service.operator.change_workspace(service.workspace, WorkspaceChanges(plan=plan))


def create_connection(service: Service, **fields: Any) -> ApiAnswer:
    usual = {"name": "Billing", "provider": "smtp", "default_from": SENDER, "config": SMTP}
    return service.call("POST", PATH, json_body=usual | fields)


def made_connection(service: Service, **fields: Any) -> dict[str, Any]:
    answer = create_connection(service, **fields)
    assert answer.status == 201, answer.body
    created: dict[str, Any] = answer.json
    return created


def change_connection(service: Service, connection: dict[str, Any], **fields: Any) -> ApiAnswer:
    return service.call("PATCH", f"{PATH}/{connection['id']}", json_body=fields)


def pointers(answer: ApiAnswer) -> list[str]:
    assert answer.code == "validation_error", answer.body
    return [each["path"] for each in answer.json["errors"]]
