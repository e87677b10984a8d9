"""The render function: one render by invocation, or each render of a queue's batch."""

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from chalicelib.adapters.aws.session import Clients
from chalicelib.adapters.json_logs import about, configure, scope
from chalicelib.adapters.metrics import Metrics
from chalicelib.core.clock import SystemClock
from chalicelib.features.renders.protocol import (
    MAX_RETURNED_BYTES,
    QueuedRender,
    RunAnswer,
    RunRender,
)
from chalicelib.features.renders.rows import row_of
from chalicelib.settings import RenderSettings

if TYPE_CHECKING:
    from chalicelib.adapters.aws.messages import Inbox, Message
    from chalicelib.features.renders.execute import Executed, ExecuteRender


@dataclass(frozen=True, slots=True)
class Host:
    """What this process works with."""

    execute: "ExecuteRender"
    inbox: "Inbox"


def warm() -> None:
    """Start what the first render would wait for."""
    configure("render")
    _host()


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer an invocation with RunAnswer, and a queue's batch with its failed messages."""
    configure("render")
    with scope(invocation=context.aws_request_id):
        return serve(event, context.aws_request_id, _host())


def serve(event: dict[str, Any], invocation: str, host: Host) -> dict[str, Any]:
    """Run what an event asks for."""
    if "Records" in event:
        return host.inbox.work_off(
            event["Records"], lambda message: _queued(message, invocation, host.execute)
        )
    order = RunRender.from_json(event)
    about(request_id=order.request_id, render=order.render_id, workspace=order.workspace_id)
    executed = host.execute.now(order, invocation)
    return _answer(order, executed).to_json()


def _queued(message: "Message", invocation: str, execute: "ExecuteRender") -> None:
    order = QueuedRender.from_json(message.body)
    about(request_id=order.request_id, render=order.render_id, workspace=order.workspace_id)
    execute.queued(order, f"{invocation}/{message.id}", message.id)


def _answer(order: RunRender, executed: "Executed") -> RunAnswer:
    row = row_of(executed.render) if executed.render is not None else None
    first = next(iter(executed.contents), None)
    if not order.return_body or first is None or len(first) > MAX_RETURNED_BYTES:
        return RunAnswer(row, None)
    return RunAnswer(row, first)


@cache
def _host() -> Host:
    """Start the engine of this process, and wire the use case to it."""
    # The browser starts while the rest is being imported.
    from chalicelib.engine.host import Engine  # noqa: PLC0415

    settings = RenderSettings.from_env()
    metrics = Metrics(settings.stack, "render")
    engine = Engine(
        chromium_dir=settings.chromium_dir,
        fonts_dir=settings.fonts_dir,
        sandbox=settings.browser_sandbox != "off",
        recycled=lambda why: metrics.count("BrowserRecycles", reason=why),
    )
    engine.start()
    metrics.count("ColdStarts")
    from chalicelib.bootstrap import render  # noqa: PLC0415

    clients = Clients()
    execute = render.execute_render(settings, clients, engine.run, SystemClock())
    return Host(execute, render.inbox(settings, clients))
