"""`platen render`: commands for renders."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import click

from chalicelib.features.emails.sends.model import EmailSend
from chalicelib.features.trace.timeline import TimelineEntry
from chalicelib.features.webhooks.deliveries.model import WebhookDelivery
from infra.operator.connection import render_tracer
from infra.operator.output import print_answer


@click.command(epilog="Example: platen render trace rnd_01J8")
@click.argument("render_id", metavar="RND")
@click.option("--workspace", metavar="WS", help="Its workspace; default: it is looked for.")
@print_answer
def trace(render_id: str, workspace: str | None) -> dict[str, Any]:
    """Tell everything that is known of a render, in the order of time."""
    render_trace = render_tracer()(render_id, workspace)
    return {
        **render_trace.state,
        "objects": [asdict(stored) for stored in render_trace.objects],
        "deliveries": [_delivery_row(delivery) for delivery in render_trace.deliveries],
        "emails": [_email_row(send) for send in render_trace.emails],
        "events": list(_event_rows(render_trace.timeline)),
    }


def _delivery_row(delivery: WebhookDelivery) -> dict[str, Any]:
    return {
        "id": delivery.id,
        "endpoint_id": delivery.endpoint_id,
        "event_type": delivery.event_type,
        "status": delivery.status,
        "attempts": delivery.attempts_made,
        "next_attempt_at": delivery.next_attempt_at,
    }


def _email_row(send: EmailSend) -> dict[str, Any]:
    return {
        "id": send.id,
        "rule_id": send.rule_id,
        "status": send.status,
        "attempts": send.attempts,
        "code": None if send.error is None else send.error.code,
        "next_attempt_at": send.next_attempt_at,
    }


def _event_rows(events: Iterable[TimelineEntry]) -> Iterable[dict[str, Any]]:
    for event in events:
        yield {
            "at": event.at,
            "source": event.source,
            "event": event.description,
            "detail": dict(event.detail),
        }
