"""`/v1/webhook-deliveries`: log of the last 30 days, and replays."""

from typing import Final

from chalice.app import Blueprint

from chalicelib.api._restricted_key import TEMPLATE_NOT_ALLOWED, protect_default_endpoint
from chalicelib.api.edge import paging
from chalicelib.api.edge.auth import KeyAuth
from chalicelib.api.edge.endpoint import Call, Reply, endpoint
from chalicelib.features.webhooks.deliveries.log import DeliveryFilter
from chalicelib.features.webhooks.deliveries.model import WebhookDelivery
from chalicelib.features.webhooks.deliveries.present import delivery_detail_json, delivery_json

blueprint: Final = Blueprint(__name__)

_READ: Final = "webhooks:read"
_CONTRACT: Final = "chalicelib.contract.webhooks.delivery"
_DETAIL: Final = f"{_CONTRACT}:WebhookDeliveryDetail"


@blueprint.route("/v1/webhook-deliveries", methods=["GET"])
@endpoint(
    auth=KeyAuth(_READ),
    query=f"{_CONTRACT}:WebhookDeliveryQuery",
    tag="Webhooks",
    answers={200: f"{_CONTRACT}:WebhookDeliveryList"},
)
def list_webhook_deliveries(call: Call) -> Reply:
    """List webhook deliveries, newest first.

    A test key sees deliveries of test events, and a key with a template allowlist those of events
    of its templates to endpoints that it sees. A page may hold fewer than `limit` deliveries while
    `has_more` is true.
    """
    query, position = call.query, paging.start_position(call)
    events = None
    if query.render_id is not None:
        events = call.services.renders.events(call.caller.workspace_id, query.render_id)
    page = call.services.webhooks.log.page(
        call.caller.workspace_id,
        DeliveryFilter(
            query.endpoint_id, query.status, call.caller.mode, call.caller.templates, events
        ),
        limit=query.limit,
        after=position["after"] if position else None,
    )
    rows = [delivery_json(delivery) for delivery in page.deliveries]
    next_position = {"after": page.next_after} if page.next_after else None
    return Reply(200, paging.list_envelope(call, rows, next_position))


@blueprint.route("/v1/webhook-deliveries/{id}", methods=["GET"])
@endpoint(auth=KeyAuth(_READ), tag="Webhooks", answers={200: _DETAIL}, problems=("not_found",))
def retrieve_webhook_delivery(call: Call) -> Reply:
    """Retrieve a webhook delivery with its last 100 attempts, and the request as it was last sent.

    A test key sees the request only of endpoints that were made with test keys.
    """
    return Reply(200, _delivery_detail(call, _named_delivery(call)))


@blueprint.route("/v1/webhook-deliveries/{id}/replay", methods=["POST"])
@endpoint(
    auth=KeyAuth("webhooks:write"),
    tag="Webhooks",
    answers={202: _DETAIL},
    problems=("not_found", TEMPLATE_NOT_ALLOWED, "conflict"),
)
def replay_webhook_delivery(call: Call) -> Reply:
    """Send a webhook delivery again, once.

    It goes to the endpoint as it is now, with the same event id and body, a new time and a new
    signature. It is a `conflict` if the endpoint is deleted, or while an attempt is made. A key
    with a template allowlist replays nothing to the default endpoint.
    """
    delivery = _named_delivery(call)
    protect_default_endpoint(call, delivery.endpoint_id)
    replayed = call.services.webhooks.log.replay(delivery, call.request_id)
    return Reply(202, _delivery_detail(call, replayed))


def _named_delivery(call: Call) -> WebhookDelivery:
    caller, log = call.caller, call.services.webhooks.log
    return log.one(caller.workspace_id, call.params["id"], caller.mode, caller.templates)


def _delivery_detail(call: Call, delivery: WebhookDelivery) -> dict[str, object]:
    webhooks = call.services.webhooks
    attempts = webhooks.deliveries.attempts(delivery)
    detail: dict[str, object] = {
        **delivery_detail_json(delivery, attempts, webhooks.log.body(delivery))
    }
    if not webhooks.log.shows_request(delivery, call.caller.mode):
        detail["request"] = None
    return detail
