"""`/v1/webhook-endpoints`: addresses that events are sent to."""

from collections.abc import Sequence
from typing import Final

from chalice.app import Blueprint

from chalicelib.api._restricted_key import (
    TEMPLATE_NOT_ALLOWED,
    protect_default_endpoint,
    require_unrestricted_key,
)
from chalicelib.api.edge import paging
from chalicelib.api.edge.auth import KeyAuth
from chalicelib.api.edge.endpoint import Call, Creation, Reply, endpoint
from chalicelib.api.edge.idempotency import unless_absent
from chalicelib.core.errors import Conflict, NotFound, validation_error
from chalicelib.core.ids import IdSeed
from chalicelib.features.webhooks.deliveries.present import delivery_detail_json
from chalicelib.features.webhooks.endpoints.manage import EndpointWithSecret
from chalicelib.features.webhooks.endpoints.model import WebhookEndpoint
from chalicelib.features.webhooks.endpoints.present import endpoint_json

blueprint: Final = Blueprint(__name__)

_READ: Final = "webhooks:read"
_WRITE: Final = "webhooks:write"
_CONTRACT: Final = "chalicelib.contract.webhooks.endpoint"
_ENDPOINT: Final = f"{_CONTRACT}:WebhookEndpoint"
_WITH_SECRET: Final = f"{_CONTRACT}:WebhookEndpointWithSecret"


def _made_before(call: Call, seed: IdSeed) -> Reply | None:
    """Return the answer of an endpoint that an earlier attempt of this request has made.

    Nobody has seen its secret, so it gets another one.
    """
    webhooks, caller, endpoint_id = call.services.webhooks, call.caller, seed.id("whe")
    endpoint = unless_absent(
        lambda: webhooks.endpoints.one(
            caller.workspace_id, endpoint_id, caller.mode, caller.templates
        )
    )
    return None if endpoint is None else _created_reply(call, webhooks.manage.roll(endpoint, 0))


@blueprint.route("/v1/webhook-endpoints", methods=["POST"])
@endpoint(
    auth=KeyAuth(_WRITE),
    body=f"{_CONTRACT}:WebhookEndpointRequest",
    creates=Creation(_made_before, has_secret=True),
    tag="Webhooks",
    answers={201: _WITH_SECRET},
    problems=("url_not_allowed", "conflict"),
)
def create_webhook_endpoint(call: Call) -> Reply:
    """Make a webhook endpoint.

    The answer has the signing secret, which is shown this once. A workspace has 100 endpoints at
    most; one more is a `conflict`. A key with a template allowlist names `template_ids` of its
    list; what it makes is not the default endpoint, even as the first one.
    """
    body, services = call.body, call.services
    _check_filter(call, body.template_ids)
    fields = {
        "url": body.url,
        "description": body.description,
        "events": tuple(body.events or services.webhooks.event_types),
        "template_ids": tuple(body.template_ids),
        "headers": body.headers,
        "enabled": body.enabled,
        "is_of_restricted_key": bool(call.caller.templates),
    }
    caller = call.caller
    created = services.webhooks.manage.create(caller.workspace_id, caller.mode, fields)
    return _created_reply(call, created)


@blueprint.route("/v1/webhook-endpoints", methods=["GET"])
@endpoint(
    auth=KeyAuth(_READ),
    query=f"{_CONTRACT}:WebhookEndpointQuery",
    tag="Webhooks",
    answers={200: f"{_CONTRACT}:WebhookEndpointList"},
)
def list_webhook_endpoints(call: Call) -> Reply:
    """List webhook endpoints, newest first.

    A test key sees those that were made with test keys, and a key with a template allowlist those
    whose `template_ids` are all on its list.
    """
    position, limit = paging.start_position(call), call.query.limit
    below = position["after"] if position else "whe_~"
    endpoints = call.services.webhooks.endpoints.all(call.caller.workspace_id)
    caller = call.caller
    rows = [
        each
        for each in reversed(endpoints)
        if each.id < below and each.is_visible_to(caller.mode, caller.templates)
    ]
    defaults = call.services.webhooks.endpoints.default_ids(caller.workspace_id)
    shown = [dict(endpoint_json(each, defaults)) for each in rows[:limit]]
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
def retrieve_default_webhook_secret(call: Call) -> Reply:
    """Show the secret that signs the webhooks of requests while no endpoint is the default.

    Each mode has its own: a live key sees that of live requests, a test key that of test requests.
    The first request with `webhook` makes it; before that it is `not_found`. It is a `conflict`
    where an endpoint is the default of the mode: that endpoint's secret signs.
    """
    workspace_id, webhooks = call.caller.workspace_id, call.services.webhooks
    mode = call.caller.mode
    default_id = webhooks.endpoints.default_ids(workspace_id).get(mode)
    if default_id is not None:
        detail = f"The secret of the default webhook endpoint {default_id} signs."
        raise Conflict("conflict", detail)
    secret = webhooks.secrets.request_secret(workspace_id, mode)
    if secret is None:
        detail = f"No {mode} request has named a webhook yet: the first one makes the secret."
        raise NotFound("not_found", detail)
    return Reply(200, {"object": "webhook_secret", "secret": secret})


@blueprint.route("/v1/webhook-endpoints/{id}", methods=["GET"])
@endpoint(auth=KeyAuth(_READ), tag="Webhooks", answers={200: _ENDPOINT}, problems=("not_found",))
def retrieve_webhook_endpoint(call: Call) -> Reply:
    """Retrieve a webhook endpoint."""
    return Reply(200, _endpoint_json(call, _named_endpoint(call)))


@blueprint.route("/v1/webhook-endpoints/{id}", methods=["PATCH"])
@endpoint(
    auth=KeyAuth(_WRITE),
    body=f"{_CONTRACT}:WebhookEndpointChange",
    tag="Webhooks",
    answers={200: _ENDPOINT},
    problems=("not_found", TEMPLATE_NOT_ALLOWED, "url_not_allowed", "conflict"),
)
def update_webhook_endpoint(call: Call) -> Reply:
    """Change a webhook endpoint.

    `enabled: false` pauses it: retries that are to come are canceled. `enabled: true` counts
    failures anew. `is_default: true` makes it the default endpoint of its mode, that of the key
    that made it. A key with a template allowlist changes neither the default endpoint nor which one
    it is, and keeps `template_ids` on its list.
    """
    fields = {name: getattr(call.body, name) for name in call.body.model_fields_set}
    endpoint = _writable_endpoint(call)
    if "template_ids" in fields:
        _check_filter(call, fields["template_ids"])
    if "is_default" in fields:
        require_unrestricted_key(call, "change the default endpoint")
    changed = call.services.webhooks.manage.change(endpoint, fields)
    return Reply(200, _endpoint_json(call, changed))


@blueprint.route("/v1/webhook-endpoints/{id}", methods=["DELETE"])
@endpoint(
    auth=KeyAuth(_WRITE),
    tag="Webhooks",
    answers={204: None},
    problems=("not_found", TEMPLATE_NOT_ALLOWED, "conflict"),
)
def delete_webhook_endpoint(call: Call) -> Reply:
    """Delete a webhook endpoint.

    Retries that are to come are canceled. Its deliveries stay in the log.
    """
    call.services.webhooks.endpoints.delete(_writable_endpoint(call))
    return Reply(204)


@blueprint.route("/v1/webhook-endpoints/{id}/roll-secret", methods=["POST"])
@endpoint(
    auth=KeyAuth(_WRITE),
    body=f"{_CONTRACT}:WebhookSecretRoll",
    body_required=False,
    tag="Webhooks",
    answers={200: _WITH_SECRET},
    problems=("not_found", TEMPLATE_NOT_ALLOWED, "conflict"),
)
def roll_webhook_secret(call: Call) -> Reply:
    """Give a webhook endpoint a new secret.

    For `expire_previous_in` seconds deliveries have two signatures, one of each secret. A secret of
    an earlier roll ends at once: there are never more than two.
    """
    seconds = 0 if call.body is None else call.body.expire_previous_in
    rolled = call.services.webhooks.manage.roll(_writable_endpoint(call), seconds)
    return Reply(200, _endpoint_json(call, rolled.endpoint) | {"secret": rolled.secret})


@blueprint.route("/v1/webhook-endpoints/{id}/test", methods=["POST"])
@endpoint(
    auth=KeyAuth(_WRITE),
    body=f"{_CONTRACT}:WebhookTestRequest",
    tag="Webhooks",
    answers={202: "chalicelib.contract.webhooks.delivery:WebhookDeliveryDetail"},
    problems=("not_found", TEMPLATE_NOT_ALLOWED),
)
def test_webhook_endpoint(call: Call) -> Reply:
    """Send a sample of an event to a webhook endpoint.

    It goes out no matter what the endpoint's filters are; to a paused endpoint it is `canceled`.
    Follow the delivery in `/v1/webhook-deliveries`.
    """
    webhooks = call.services.webhooks
    delivery = webhooks.send_sample(
        _writable_endpoint(call),
        call.body.event,
        call.request_id,
        with_file_urls=call.caller.workspace.webhook_file_urls,
    )
    return Reply(202, delivery_detail_json(delivery, (), webhooks.log.body(delivery)))


def _created_reply(call: Call, created: EndpointWithSecret) -> Reply:
    url = f"{call.services.settings.base_url}/webhook-endpoints/{created.endpoint.id}"
    shown = _endpoint_json(call, created.endpoint) | {"secret": created.secret}
    return Reply(201, shown, headers={"Location": url})


def _named_endpoint(call: Call) -> WebhookEndpoint:
    caller, endpoints = call.caller, call.services.webhooks.endpoints
    return endpoints.one(caller.workspace_id, call.params["id"], caller.mode, caller.templates)


def _writable_endpoint(call: Call) -> WebhookEndpoint:
    """Return the endpoint of the path; refuse a restricted key the default one, the workspace's."""
    endpoint = _named_endpoint(call)
    protect_default_endpoint(call, endpoint.id)
    return endpoint


def _check_filter(call: Call, template_ids: Sequence[str]) -> None:
    """Raise `validation_error` unless a restricted key names templates, all of its list."""
    allowed = call.caller.templates
    if not allowed:
        return
    if not template_ids:
        message = "is required for this key: name templates of its allowlist"
        raise validation_error("/template_ids", message, "required")
    for n, template_id in enumerate(template_ids):
        if template_id not in allowed:
            message = "is not on the allowlist of this key: take it out"
            raise validation_error(f"/template_ids/{n}", message, "not_allowed")


def _endpoint_json(call: Call, shown: WebhookEndpoint) -> dict[str, object]:
    defaults = call.services.webhooks.endpoints.default_ids(shown.workspace_id)
    return dict(endpoint_json(shown, defaults))
