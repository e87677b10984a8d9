"""`platen webhook deliveries` and `redrive`: the log of webhook deliveries."""

from typing import Any, Final, get_args

import click

from chalicelib.core.clock import SystemClock
from chalicelib.core.ids import RandomIdGenerator
from chalicelib.features.webhooks.deliveries.log import DeliveryFilter
from chalicelib.features.webhooks.deliveries.model import DeliveryStatus, WebhookDelivery
from infra.operator.connection import webhook_log_service
from infra.operator.output import print_answer
from infra.operator.workspaces import existing_workspace

_MAX_LIMIT: Final = 1_000
_STATUSES: Final = get_args(DeliveryStatus.__value__)


@click.command(epilog="Example: platen webhook deliveries ws_01J8 --status failed")
@click.argument("workspace_id", metavar="WS")
@click.option("--endpoint", metavar="WHE", help="Only those to this endpoint.")
@click.option("--status", type=click.Choice(_STATUSES), help="Only those in this status.")
@click.option(
    "--limit", metavar="N", type=click.IntRange(1, _MAX_LIMIT), default=20, show_default=True
)
@print_answer
def deliveries(
    workspace_id: str, endpoint: str | None, status: str | None, limit: int
) -> dict[str, Any]:
    """List the webhook deliveries of a workspace, newest first; they are kept for 30 days."""
    service = webhook_log_service()
    workspace = existing_workspace(service.workspaces, workspace_id)
    criteria = DeliveryFilter(endpoint, status)
    rows: list[dict[str, Any]] = []
    after: str | None = None
    # A page of a filter with few matches is short.
    while len(rows) < limit:
        page = service.log.page(workspace.id, criteria, limit=limit - len(rows), after=after)
        rows += map(_delivery_row, page.deliveries)
        after = page.next_after
        if after is None:
            break
    return {"data": rows}


@click.command(epilog="Example: platen webhook redrive whd_01J8")
@click.argument("delivery_id", metavar="WHD")
@click.option("--workspace", metavar="WS", help="Its workspace; default: it is looked for.")
@print_answer
def redrive(delivery_id: str, workspace: Any) -> dict[str, Any]:
    """Send a delivery again, once, to its endpoint as it is now."""
    service = webhook_log_service()
    request_id = RandomIdGenerator().new("req", SystemClock().now())
    replayed = service.log.replay(service.find.one(delivery_id, workspace), request_id)
    return {
        "workspace": replayed.workspace_id,
        **_delivery_row(replayed),
        "request_id": request_id,
    }


def _delivery_row(delivery: WebhookDelivery) -> dict[str, Any]:
    return {
        "id": delivery.id,
        "event_type": delivery.event_type,
        "status": delivery.status,
        "attempts": delivery.attempts_made,
        "endpoint_id": delivery.endpoint_id,
        "event_id": delivery.event_id,
        "created_at": delivery.created_at,
        "next_attempt_at": delivery.next_attempt_at,
    }
