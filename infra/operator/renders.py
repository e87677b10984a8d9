"""`platen render`."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import click

from chalicelib.features.trace.model import Event
from infra.operator.connection import trace_render
from infra.operator.output import answers


@click.group()
def render() -> None:
    """Renders."""


@render.command()
@click.argument("render_id", metavar="RND")
@click.option("--workspace", metavar="WS", help="Its workspace; default: it is looked for.")
@answers
def trace(render_id: str, workspace: str | None) -> dict[str, Any]:
    """Tell everything that is known of a render, in the order of time."""
    found = trace_render()(render_id, workspace)
    return {
        **found.state,
        "objects": [asdict(kept) for kept in found.objects],
        "events": list(_shown(found.events)),
    }


def _shown(events: Iterable[Event]) -> Iterable[dict[str, Any]]:
    for event in events:
        yield {
            "at": event.at,
            "source": event.source,
            "event": event.what,
            "detail": dict(event.detail),
        }
