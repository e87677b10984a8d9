"""`/v1/webhook-endpoints`: addresses that events are sent to."""

from typing import Final

from chalice.app import Blueprint

from chalicelib.api.edge import paging
from chalicelib.api.edge.auth import KeyAuth
from chalicelib.api.edge.endpoint import Call, Reply, endpoint
from chalicelib.core.errors import Conflict, NotFound
from chalicelib.features.webhooks.model import WebhookEndpoint
from chalicelib.features.webhooks.present import delivery_detail_json, endpoint_json

blueprint: Final = Blueprint(__name__)

_READ: Final = "webhooks:read"
_WRITE: Final = "webhooks:write"
_CONTRACT: Final = "chalicelib.contract.webhooks.endpoint"
_ENDPOINT: Final = f"{_CONTRACT}:WebhookEndpoint"
_WITH_SECRET: Final = f"{_CONTRACT}:WebhookEndpointWithSecret"


@blueprint.route("/v1/webhook-endpoints", methods=["POST"])
@endpoint(
    auth=KeyAuth(_WRITE),
    body=f"{_CONTRACT}:EndpointRequest",
    tag="Webhooks",
    answers={201: _WITH_SECRET},
    problems=("url_not_allowed", "conflict"),
)
def create(call: Call) -> Reply:
    """Make a webhook endpoint.

    The answer has the signing secret, which is shown this once. A workspace has 100 endpoints at
    most; one more is a `conflict`.
    """
    body, services = call.body, call.services
    fields = {
        "url": body.url,
        "description": body.description,
        "events": tuple(body.events or services.webhooks.event_types),
        "template_ids": tuple(body.template_ids),
        "headers": body.headers,
        "enabled": body.enabled,
    }
    caller = call.caller
    created = services.webhooks.manage.create(caller.workspace_id, caller.mode, fields)
    url = f"{services.settings.base_url}/webhook-endpoints/{created.endpoint.id}"
    shown = _endpoint_json(call, created.endpoint) | {"secret": created.secret}
    return Reply(201, shown, headers={"Location": url})


@blueprint.route("/v1/webhook-endpoints", methods=["GET"])
@endpoint(
    auth=KeyAuth(_READ),
    query=f"{_CONTRACT}:WebhookEndpointQuery",
    tag="Webhooks",
    answers={200: f"{_CONTRACT}:WebhookEndpointList"},
)
def list_endpoints(call: Call) -> Reply:
    """List webhook endpoints, newest first.

    A test key sees those that were made with test keys.
    """
    position, limit = paging.start_position(call), call.query.limit
    below = position["after"] if position else "whe_~"
    endpoints = call.services.webhooks.endpoints.all(call.caller.workspace_id)
    mode = call.caller.mode
    rows = [each for each in reversed(endpoints) if each.id < below and each.is_visible_to(mode)]
    default_id = call.services.webhooks.endpoints.default_id(call.caller.workspace_id)
    shown = [dict(endpoint_json(each, default_id)) for each in rows[:limit]]
    page = paging.fitting_prefix(shown)
    last = page[-1]["id"] if len(page) < len(rows) else None
    return Reply(200, paging.list_envelope(call, page, {"after": last} if last else None))


@blueprint.route("/v1/webhook-endpoints/default-secret", methods=["GET"])
@endpoint(
    auth=KeyAuth(_WRITE),
    tag="Webhooks",
    answers={200: f"{_CONTRACT}:WebhookSecret"},
    problems=("not_found", "conflict"),
)
def default_secret(call: Call) -> Reply:
    """Show the secret that signs the webhooks of requests while no endpoint is the default.

    The first request with `webhook` makes it; before that it is `not_found`. It is a `conflict`
    where an endpoint is the default: that endpoint's secret signs.
    """
    workspace_id, webhooks = call.caller.workspace_id, call.services.webhooks
    default_id = webhooks.endpoints.default_id(workspace_id)
    if default_id is not None:
        detail = f"The secret of the default webhook endpoint {default_id} signs."
        raise Conflict("conflict", detail)
    secret = webhooks.secrets.request_secret(workspace_id)
    if secret is None:
        detail = "No request has named a webhook yet: the first one makes the secret."
        raise NotFound("not_found", detail)
    return Reply(200, {"object": "webhook_secret", "secret": secret})


@blueprint.route("/v1/webhook-endpoints/{id}", methods=["GET"])
@endpoint(auth=KeyAuth(_READ), tag="Webhooks", answers={200: _ENDPOINT}, problems=("not_found",))
def retrieve(call: Call) -> Reply:
    """Retrieve a webhook endpoint."""
    return Reply(200, _endpoint_json(call, _named_endpoint(call)))


@blueprint.route("/v1/webhook-endpoints/{id}", methods=["PATCH"])
@endpoint(
    auth=KeyAuth(_WRITE),
    body=f"{_CONTRACT}:EndpointChange",
    tag="Webhooks",
    answers={200: _ENDPOINT},
    problems=("not_found", "url_not_allowed", "conflict"),
)
def change(call: Call) -> Reply:
    """Change a webhook endpoint.

    `enabled: false` pauses it: retries that are to come are canceled. `enabled: true` counts
    failures anew. `is_default: true` makes it the default endpoint.
    """
    fields = {name: getattr(call.body, name) for name in call.body.model_fields_set}
    changed = call.services.webhooks.manage.change(_named_endpoint(call), fields)
    return Reply(200, _endpoint_json(call, changed))


@blueprint.route("/v1/webhook-endpoints/{id}", methods=["DELETE"])
@endpoint(
    auth=KeyAuth(_WRITE),
    tag="Webhooks",
    answers={204: None},
    problems=("not_found", "conflict"),
)
def delete(call: Call) -> Reply:
    """Delete a webhook endpoint.

    Retries that are to come are canceled. Its deliveries stay in the log.
    """
    call.services.webhooks.endpoints.delete(_named_endpoint(call))
    return Reply(204)


@blueprint.route("/v1/webhook-endpoints/{id}/roll-secret", methods=["POST"])
@endpoint(
    auth=KeyAuth(_WRITE),
    body=f"{_CONTRACT}:SecretRoll",
    body_required=False,
    tag="Webhooks",
    answers={200: _WITH_SECRET},
    problems=("not_found", "conflict"),
)
def roll_secret(call: Call) -> Reply:
    """Give a webhook endpoint a new secret.

    For `expire_previous_in` seconds deliveries have two signatures, one of each secret. A secret of
    an earlier roll ends at once: there are never more than two.
    """
    seconds = 0 if call.body is None else call.body.expire_previous_in
    rolled = call.services.webhooks.manage.roll(_named_endpoint(call), seconds)
    return Reply(200, _endpoint_json(call, rolled.endpoint) | {"secret": rolled.secret})


@blueprint.route("/v1/webhook-endpoints/{id}/test", methods=["POST"])
@endpoint(
    auth=KeyAuth(_WRITE),
    body=f"{_CONTRACT}:SampleRequest",
    tag="Webhooks",
    answers={202: "chalicelib.contract.webhooks.delivery:WebhookDeliveryDetail"},
    problems=("not_found",),
)
def test(call: Call) -> Reply:
    """Send a sample of an event to a webhook endpoint.

    It goes out no matter what the endpoint's filters are; to a paused endpoint it is `canceled`.
    Follow the delivery in `/v1/webhook-deliveries`.
    """
    webhooks = call.services.webhooks
    delivery = webhooks.send_sample(
        _named_endpoint(call),
        call.body.event,
        call.request_id,
        with_file_urls=call.caller.workspace.webhook_file_urls,
    )
    return Reply(202, delivery_detail_json(delivery, (), webhooks.log.body(delivery)))


def _named_endpoint(call: Call) -> WebhookEndpoint:
    caller, endpoints = call.caller, call.services.webhooks.endpoints
    return endpoints.one(caller.workspace_id, call.params["id"], caller.mode)


def _endpoint_json(call: Call, shown: WebhookEndpoint) -> dict[str, object]:
    default_id = call.services.webhooks.endpoints.default_id(shown.workspace_id)
    return dict(endpoint_json(shown, default_id))
