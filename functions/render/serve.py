"""Dispatch of the render function's events: one call, or the renders of a queue's batch."""

from base64 import b64encode
from typing import TYPE_CHECKING, NamedTuple, TypeIs

from chalicelib.adapters.json_logs import bind, log_context
from chalicelib.adapters.tracing import CONSUMER, SERVER, span
from chalicelib.bootstrap.invocation_errors import reported_errors
from chalicelib.engine.remote.calls import MAX_RETURNED_BYTES
from chalicelib.features.einvoices.validate_received import ValidationCall
from chalicelib.features.renders.rows import row_of
from chalicelib.features.renders.run.protocol import (
    QueuedRender,
    RunRenderAnswer,
    RunRenderCall,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from chalicelib.adapters.aws.messages import QueueConsumers, QueueEvent, ReceivedMessage
    from chalicelib.adapters.tracing import Span
    from chalicelib.core.json import Json, JsonObject
    from chalicelib.features.einvoices.validate_received import ValidateReceived, ValidationEvent
    from chalicelib.features.renders.run.execute import AttemptResult, ExecuteRender


class RenderServices(NamedTuple):
    """Services of this process."""

    execute: "ExecuteRender"
    consumers: "QueueConsumers"
    validate_received: "ValidateReceived"


def serve(
    event: "QueueEvent | ValidationEvent | dict[str, Json]",
    invocation: str,
    services: RenderServices,
) -> "Mapping[str, object]":
    """Dispatch an event; return the JSON of its answer.

    A render returns RunRenderAnswer, a queue's batch its failed messages, a validation the findings
    of a received e-invoice. Raises InvocationError; its text is `FunctionBusy` if no engine was
    free until the call's deadline.
    """
    with log_context(invocation=invocation):
        if _is_batch(event):
            return services.consumers.process_concurrently(
                event["Records"], lambda message: _run_queued(message, invocation, services.execute)
            )
        with reported_errors():
            if _is_validation(event):
                return _validate_received(event, services.validate_received)
            return _run_now(event, invocation, services.execute).to_json()


def _is_batch(event: "Mapping[str, object]") -> "TypeIs[QueueEvent]":
    return "Records" in event


def _is_validation(event: "Mapping[str, object]") -> "TypeIs[ValidationEvent]":
    return "validation" in event


def _run_now(
    event: "dict[str, Json]", invocation: str, execute: "ExecuteRender"
) -> RunRenderAnswer:
    call = RunRenderCall.from_json(event)
    bind(request_id=call.request_id, render=call.render_id, workspace=call.workspace_id)
    with span("render", "render", kind=SERVER, parent=call.traceparent) as current:
        result = execute.run_called(call, invocation)
        _show_result(current, call.render_id, result)
    return _run_answer(call, result)


def _validate_received(
    event: "ValidationEvent", validate_received: "ValidateReceived"
) -> "JsonObject":
    call = ValidationCall.from_json(event)
    bind(request_id=call.request_id, workspace=call.workspace_id)
    return validate_received(call)


def _run_queued(message: "ReceivedMessage", invocation: str, execute: "ExecuteRender") -> None:
    call = QueuedRender.from_json(message.body)
    bind(request_id=call.request_id, render=call.render_id, workspace=call.workspace_id)
    with span("render", "render", kind=CONSUMER, parent=call.traceparent) as current:
        result = execute.run_queued(call, f"{invocation}/{message.id}", message.id)
        _show_result(current, call.render_id, result)


def _show_result(current: "Span | None", render_id: str, result: "AttemptResult") -> None:
    """Set what became of a render in the span of its attempt, if there is one."""
    render = result.render
    if current is None or render is None:
        return
    current.set(
        platen__render_id=render_id, platen__status=render.status, platen__attempt=render.attempt
    )
    if render.error is not None:
        current.set(error__type=str(render.error["code"]))
        current.fail(str(render.error["code"]))


def _run_answer(call: RunRenderCall, result: "AttemptResult") -> RunRenderAnswer:
    row = row_of(result.render) if result.render is not None else None
    # The answer spares the API function a read of the objects it would return as they are.
    contents = result.contents
    if not call.return_body or not contents or sum(map(len, contents)) > MAX_RETURNED_BYTES:
        return RunRenderAnswer(row, None)
    return RunRenderAnswer(row, tuple(b64encode(each).decode() for each in contents))
