"""What the operator tool works with when something went wrong: traces and dead letters."""

from collections.abc import Mapping
from typing import Final

from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.aws.session import Clients
from chalicelib.adapters.aws.table import Tables
from chalicelib.bootstrap.state import State
from chalicelib.core.clock import Clock
from chalicelib.features.dead_letters.redrive import RedriveDeadLetters
from chalicelib.features.dead_letters.repository import DeadLetters
from chalicelib.features.trace.trace import Lines, TraceRender
from chalicelib.features.workspaces.repository import Workspaces
from chalicelib.settings import RedriveSettings, TraceSettings


def trace_render(
    settings: TraceSettings, clients: Clients, lines: Lines, clock: Clock
) -> TraceRender:
    """Return what traces renders; `lines` is where functions log."""
    state = State(clients, clock, main_table=settings.main_table, bucket=settings.bucket)
    return TraceRender(
        workspaces=Workspaces(state.tables, settings.main_table),
        renders=state.renders,
        facts=state.facts,
        limits=state.limits,
        letters=DeadLetters(state.tables, settings.transient_table, clock),
        objects=state.objects,
        lines=lines,
    )


class DeadLetterOffice:
    """What there is of dead letters: their records, the queues they are of, and the way back."""

    def __init__(self, settings: RedriveSettings, clients: Clients, clock: Clock) -> None:
        """Build the use cases."""
        self.letters: Final = DeadLetters(Tables(clients), settings.transient_table, clock)
        queues = {
            "renders": settings.renders_queue_url,
            "events": settings.events_queue_url,
            "upkeep": settings.upkeep_queue_url,
        }
        unread = {
            "renders": settings.renders_dead_letters_url,
            "events": settings.events_dead_letters_url,
            "upkeep": settings.upkeep_dead_letters_url,
        }
        self.unread: Final[Mapping[str, Queue]] = _queues(clients, unread)
        self.redrive: Final = RedriveDeadLetters(
            letters=self.letters, queues=_queues(clients, queues)
        )


def _queues(clients: Clients, urls: Mapping[str, str]) -> dict[str, Queue]:
    return {name: Queue(clients, url) for name, url in urls.items()}
