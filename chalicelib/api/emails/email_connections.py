"""`/v1/email-connections`: providers that a workspace sends emails with."""

from typing import Final

from chalice.app import Blueprint

from chalicelib.api._restricted_key import TEMPLATE_NOT_ALLOWED, require_unrestricted_key
from chalicelib.api.edge import paging
from chalicelib.api.edge.auth import KeyAuth
from chalicelib.api.edge.endpoint import Call, Creation, Reply, endpoint
from chalicelib.api.edge.idempotency import shown_again
from chalicelib.core.ids import IdSeed
from chalicelib.features.emails.connections.model import EmailConnection
from chalicelib.features.emails.connections.present import connection_json

blueprint: Final = Blueprint(__name__)

_READ: Final = "email:read"
_WRITE: Final = "email:write"
# Of a request of a restricted key.
_EFFECT: Final = "change or test an email connection of the whole workspace"
_CONTRACT: Final = "chalicelib.contract.emails.connection"
_CONNECTION: Final = f"{_CONTRACT}:EmailConnection"


def _made_before(call: Call, seed: IdSeed) -> Reply | None:
    return shown_again(call, seed.id("emc"), retrieve_email_connection)


@blueprint.route("/v1/email-connections", methods=["POST"])
@endpoint(
    auth=KeyAuth(_WRITE),
    body=f"{_CONTRACT}:EmailConnectionRequest",
    creates=Creation(_made_before),
    tag="Emails",
    answers={201: _CONNECTION},
    problems=(TEMPLATE_NOT_ALLOWED, "feature_not_enabled", "url_not_allowed", "conflict"),
)
def create_email_connection(call: Call) -> Reply:
    """Make an email connection.

    Its credentials are sealed and never shown. A workspace has 50 connections at most; one more is
    a `conflict`.
    """
    require_unrestricted_key(call, _EFFECT)
    fields = call.body.model_dump()
    created = call.services.emails.manage.create(call.caller.workspace, fields)
    url = f"{call.services.settings.base_url}/email-connections/{created.id}"
    return Reply(201, _connection_json(call, created), headers={"Location": url})


@blueprint.route("/v1/email-connections", methods=["GET"])
@endpoint(auth=KeyAuth(_READ), tag="Emails", answers={200: f"{_CONTRACT}:EmailConnectionList"})
def list_email_connections(call: Call) -> Reply:
    """List all email connections, newest first, on one page."""
    emails = call.services.emails
    connections = emails.connections.all(call.caller.workspace_id)
    shown = [_connection_json(call, each) for each in reversed(connections)]
    page = paging.list_envelope(call, shown, None)
    return Reply(200, {**page, "egress_ips": list(emails.egress_ips)})


@blueprint.route("/v1/email-connections/{id}", methods=["GET"])
@endpoint(auth=KeyAuth(_READ), tag="Emails", answers={200: _CONNECTION}, problems=("not_found",))
def retrieve_email_connection(call: Call) -> Reply:
    """Retrieve an email connection."""
    return Reply(200, _connection_json(call, _named_connection(call)))


@blueprint.route("/v1/email-connections/{id}", methods=["PATCH"])
@endpoint(
    auth=KeyAuth(_WRITE),
    body=f"{_CONTRACT}:EmailConnectionChange",
    tag="Emails",
    answers={200: _CONNECTION},
    problems=(
        "not_found",
        TEMPLATE_NOT_ALLOWED,
        "feature_not_enabled",
        "url_not_allowed",
        "conflict",
    ),
)
def update_email_connection(call: Call) -> Reply:
    """Change an email connection; without `credentials` the stored ones stay.

    Who changes `host`, `port` or `username` sends them again. A key with a template allowlist
    changes and tests no connection.
    """
    require_unrestricted_key(call, _EFFECT)
    fields = call.body.model_dump(include=call.body.model_fields_set)
    manage = call.services.emails.manage
    changed = manage.change(call.caller.workspace, call.params["id"], fields)
    return Reply(200, _connection_json(call, changed))


@blueprint.route("/v1/email-connections/{id}", methods=["DELETE"])
@endpoint(
    auth=KeyAuth(_WRITE),
    tag="Emails",
    answers={204: None},
    problems=("not_found", TEMPLATE_NOT_ALLOWED, "email_connection_in_use", "conflict"),
)
def delete_email_connection(call: Call) -> Reply:
    """Delete an email connection with its credentials, unless email rules use it."""
    require_unrestricted_key(call, _EFFECT)
    call.services.emails.connections.delete(_named_connection(call))
    return Reply(204)


@blueprint.route("/v1/email-connections/{id}/test", methods=["POST"])
@endpoint(
    auth=KeyAuth(_WRITE),
    body=f"{_CONTRACT}:EmailConnectionTestRequest",
    tag="Emails",
    answers={200: f"{_CONTRACT}:EmailConnectionTest"},
    problems=(
        "not_found",
        TEMPLATE_NOT_ALLOWED,
        "feature_not_enabled",
        "conflict",
        "region_degraded",
    ),
)
def test_email_connection(call: Call) -> Reply:
    """Test a connection in steps, and send an email on request.

    `smtp`: connect, agree on TLS, log in. All others: check the credentials; `brevo`, `resend` and
    `ses` list senders; `brevo` checks an email that nobody gets. The steps end at the first that
    fails; all of them take 15 s at most. Of a workspace one test runs at a time: another one is a
    `conflict`.
    """
    require_unrestricted_key(call, _EFFECT)
    tried = call.services.emails.request_trial(
        call.caller.workspace, call.params["id"], call.body.send_to
    )
    result = {
        "object": "email_connection_test",
        "ok": all(step["ok"] for step in tried.steps),
        "connection": _connection_json(call, tried.connection),
        "senders": tried.senders,
        "steps": tried.steps,
    }
    return Reply(200, result)


def _named_connection(call: Call) -> EmailConnection:
    return call.services.emails.connections.one(call.caller.workspace_id, call.params["id"])


def _connection_json(call: Call, connection: EmailConnection) -> dict[str, object]:
    services = call.services
    return dict(connection_json(connection, services.emails.egress_ips, services.settings.region))
