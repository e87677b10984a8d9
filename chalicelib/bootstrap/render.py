"""What the render function works with; only it has what these modules need."""

from functools import cache, partial
from typing import TYPE_CHECKING

from chalicelib.adapters.aws.messages import Inbox, Inboxes
from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.aws.session import Clients
from chalicelib.bootstrap import crash
from chalicelib.bootstrap.state import State
from chalicelib.core.clock import Clock
from chalicelib.features.renders.conform import ConformRender
from chalicelib.features.renders.examine import ExamineEInvoice
from chalicelib.features.renders.execute import Engine, ExecuteRender
from chalicelib.features.renders.finish import FinishRender
from chalicelib.features.renders.stop_ended import StopEnded
from chalicelib.features.uploads.contents import UploadContents
from chalicelib.settings import RenderSettings

if TYPE_CHECKING:
    from chalicelib.engine.conformance.checks import Validator


def execute_render(
    settings: RenderSettings, clients: Clients, engine: Engine, clock: Clock
) -> ExecuteRender:
    """Return the render function's use case over an engine."""
    crash.arm(settings.crash_points)
    state = State(clients, clock, main_table=settings.main_table, bucket=settings.bucket)
    conclude = state.conclude(settings.events_queue_url)
    finish = FinishRender(
        tables=state.tables,
        renders=state.renders,
        files=state.files,
        facts=state.facts,
        objects=state.objects,
        conclude=conclude,
        clock=clock,
    )
    return ExecuteRender(
        renders=state.renders,
        bodies=state.bodies,
        engine=engine,
        conform=ConformRender(cache(partial(_validator, settings, clients))),
        finish=finish,
        conclude=conclude,
        end=state.end(conclude),
        stop_ended=StopEnded(state.renders),
        uploads=UploadContents(state.objects),
        schemas=state.check_schemas,
        clock=clock,
    )


def examine_einvoice(settings: RenderSettings, clients: Clients, clock: Clock) -> ExamineEInvoice:
    """Return what examines e-invoices of others."""
    uploads = UploadContents(Objects(clients, settings.bucket))
    return ExamineEInvoice(cache(partial(_validator, settings, clients)), uploads, clock)


def _validator(settings: RenderSettings, clients: Clients) -> "Validator":
    """Return what judges files; the start does not wait for it."""
    from chalicelib.bootstrap.validation import validator  # noqa: PLC0415

    return validator(settings.validate_function, settings.bucket, clients)


def inbox(settings: RenderSettings, clients: Clients) -> Inboxes:
    """Return what queued renders are worked off with."""
    dead_letters = Queue(clients, settings.renders_dead_letters_url)
    return Inboxes(
        Inbox(Queue(clients, url), dead_letters)
        for url in (settings.renders_queue_url, settings.renders_low_queue_url)
    )
