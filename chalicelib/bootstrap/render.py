"""Services of the render function."""

from functools import cache
from typing import TYPE_CHECKING

from chalicelib.adapters.aws.messages import QueueConsumer, QueueConsumers
from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.aws.session import AwsClients
from chalicelib.bootstrap.cold_start import arm_crash_points
from chalicelib.bootstrap.shared_services import SharedServices
from chalicelib.core.clock import Clock
from chalicelib.features.einvoices.validate_received import ValidateReceived
from chalicelib.features.renders.run.cancellation_watch import CancellationWatch
from chalicelib.features.renders.run.check_conformance import CheckConformance
from chalicelib.features.renders.run.execute import ExecuteRender, RunJob
from chalicelib.features.renders.run.finish import FinishRender
from chalicelib.features.uploads.contents import UploadContents
from chalicelib.settings import RenderSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from chalicelib.core.ids import WorkspaceId
    from chalicelib.engine.conformance.checks import Validator


def execute_render(settings: RenderSettings, clients: AwsClients, clock: Clock) -> ExecuteRender:
    """Return the use case that executes a render."""
    arm_crash_points(settings.crash_points)
    state = SharedServices(clients, clock, main_table=settings.main_table, bucket=settings.bucket)
    settle_and_publish = state.make_settle_and_publish(settings.events_queue_url)
    finish = FinishRender(
        table=state.main_table,
        renders=state.renders,
        files=state.files,
        events=state.outbox,
        objects=state.objects,
        settle_and_publish=settle_and_publish,
        clock=clock,
    )
    return ExecuteRender(
        renders=state.renders,
        bodies=state.bodies,
        run_job=RunJob(
            engine=state.make_engine(settings.engine_function, settings.tenancy),
            pdf_tools=state.make_engine(settings.pdf_tools_function, settings.tenancy),
        ),
        check_conformance=CheckConformance(validator=_validators(settings, clients)),
        finish=finish,
        settle_and_publish=settle_and_publish,
        end=state.make_end_render(settle_and_publish),
        cancellation_watch=CancellationWatch(renders=state.renders),
        clock=clock,
    )


def validate_received(
    settings: RenderSettings, clients: AwsClients, clock: Clock
) -> ValidateReceived:
    """Return the use case that validates received e-invoices."""
    state = SharedServices(clients, clock, main_table=settings.main_table, bucket=settings.bucket)
    return ValidateReceived(
        engine=state.make_engine(settings.engine_function, settings.tenancy),
        validator=_validators(settings, clients),
        uploads=UploadContents(objects=state.objects),
        clock=clock,
    )


def _validators(
    settings: RenderSettings, clients: AwsClients
) -> "Callable[[WorkspaceId], Validator]":
    """Return the source of validators, imported with the first: no cold start waits for it."""

    @cache
    def source() -> "Callable[[WorkspaceId], Validator]":
        from chalicelib.bootstrap.validation import validators  # noqa: PLC0415

        return validators(settings, clients)

    return lambda workspace_id: source()(workspace_id)  # noqa: PLW0108 -- not before a call


def render_consumers(settings: RenderSettings, clients: AwsClients) -> QueueConsumers:
    """Return the consumers of queued renders; their queues share one dead-letter queue."""
    dead_letters = Queue(clients, settings.renders_dead_letters_url)
    return QueueConsumers(
        QueueConsumer(Queue(clients, url), dead_letters)
        for url in (
            settings.renders_queue_url,
            settings.renders_low_queue_url,
            settings.batch_items_queue_url,
        )
    )
