"""Handler of the tick: every minute, sends due items to their queues."""

from chalicelib.bootstrap.cold_start import warm_up_on_lambda
from chalicelib.bootstrap.work import WORK
from chalicelib.bootstrap.work_function import ServeEvent, WorkFunction, WorkParts
from chalicelib.features.maintenance.repository import DueIndex
from chalicelib.features.maintenance.tick import DueRoute, Tick


def build(parts: WorkParts) -> ServeEvent:
    """Return the function that queues the due items and answers with their number."""
    tick = Tick(
        index=DueIndex(table=parts.state.main_table),
        routes=[
            DueRoute(kind, parts.queue(row.queue_of_due_items), row.due_message)
            for row in WORK.values()
            for kind in row.due
        ],
        metrics=parts.metrics,
        clock=parts.clock,
    )
    return lambda _event: {"handed": tick()}


handler = WorkFunction("tick", build)
warm = handler.warm
warm_up_on_lambda(warm)
