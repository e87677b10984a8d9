"""Email connections of a workspace, made by requests."""

from typing import Any, Final

from chalicelib.features.workspaces.change import WorkspaceChanges
from tests.builders.http import ApiAnswer
from tests.builders.service import Service
from tests.fakes.submission_server import HOST, PORT

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


def smtp_connection(service: Service, *, host: str = HOST, **fields: Any) -> dict[str, Any]:
    config = {"host": host, "port": PORT, "username": "mailer"}
    usual: dict[str, Any] = {"config": config, "credentials": {"password": "p"}}
    return made_connection(service, **usual | fields)


def run_test(service: Service, connection: dict[str, Any], **body: Any) -> ApiAnswer:
    return service.call("POST", f"{PATH}/{connection['id']}/test", json_body=body)


def failed_step(service: Service, connection: dict[str, Any], **body: Any) -> tuple[str, str]:
    """Return name and detail of the step that failed, which is the last."""
    answer = run_test(service, connection, **body)
    assert (answer.status, answer.json["ok"]) == (200, False), answer.body
    *before, last = answer.json["steps"]
    assert all(each["ok"] for each in before)
    assert not last["ok"]
    return last["name"], last["detail"]
