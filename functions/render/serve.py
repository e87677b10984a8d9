"""Dispatch of the render function's events: one call, or the renders of a queue's batch."""

import logging
from base64 import b64encode
from typing import TYPE_CHECKING, NamedTuple, TypeIs

from chalicelib.adapters.json_logs import bind, log_context
from chalicelib.core.errors import RenderFailure
from chalicelib.core.message_version import UnknownVersion
from chalicelib.core.tracebacks import exception_kind
from chalicelib.features.einvoices.validate_received import ValidationCall
from chalicelib.features.previews.dry_run import (
    DryRunAnswer,
    DryRunCall,
    LintAnswer,
    ReportedFailure,
)
from chalicelib.features.renders.rows import row_of
from chalicelib.features.renders.run.protocol import (
    MAX_RETURNED_BYTES,
    QueuedRender,
    RunRenderAnswer,
    RunRenderCall,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from chalicelib.adapters.aws.messages import QueueConsumers, QueueEvent, ReceivedMessage
    from chalicelib.core.json import Json, JsonObject
    from chalicelib.engine.job import JobContext, PageJob
    from chalicelib.features.einvoices.validate_received import ValidateReceived, ValidationEvent
    from chalicelib.features.previews.dry_run import RunDryRun
    from chalicelib.features.renders.run.execute import AttemptResult, ExecuteRender

log = logging.getLogger(__name__)


class InvocationError(Exception):
    """Failure of an invocation; the platform logs this text, so it has no data of a caller."""


class RenderServices(NamedTuple):
    """Services of this process."""

    execute: "ExecuteRender"
    consumers: "QueueConsumers"
    lint: "Callable[[PageJob, JobContext], list[RenderFailure]]"
    validate_received: "ValidateReceived"
    run_dry_run: "RunDryRun"


def serve(
    event: "QueueEvent | ValidationEvent | dict[str, Json]",
    invocation: str,
    services: RenderServices,
) -> "Mapping[str, object]":
    """Dispatch an event; return the JSON of its answer.

    A render returns RunRenderAnswer, a queue's batch its failed messages, a dry run its failure if
    any, a lint all errors of the templates, a validation the findings of a received e-invoice.
    Raises InvocationError.
    """
    with log_context(invocation=invocation):
        if _is_batch(event):
            return services.consumers.process_batch(
                event["Records"], lambda message: _run_queued(message, invocation, services.execute)
            )
        try:
            if _is_validation(event):
                return _validate_received(event, services.validate_received)
            if "lint" in event:
                return _lint(event, services)
            if "dry_run" in event:
                return _dry_run(event, services.run_dry_run)
            return _run_now(event, invocation, services.execute).to_json()
        except UnknownVersion as unknown:
            log.warning("called by another release", extra={"reason": str(unknown)})
            raise InvocationError(exception_kind(unknown)) from None
        except Exception as error:
            log.exception("render failed unexpectedly")
            # `from None`: the platform would log the cause, too, with data of the caller.
            raise InvocationError(exception_kind(error)) from None


def _is_batch(event: "Mapping[str, object]") -> "TypeIs[QueueEvent]":
    return "Records" in event


def _is_validation(event: "Mapping[str, object]") -> "TypeIs[ValidationEvent]":
    return "validation" in event


def _run_now(
    event: "dict[str, Json]", invocation: str, execute: "ExecuteRender"
) -> RunRenderAnswer:
    call = RunRenderCall.from_json(event)
    bind(request_id=call.request_id, render=call.render_id, workspace=call.workspace_id)
    return _run_answer(call, execute.run_called(call, invocation))


def _lint(event: "JsonObject", services: RenderServices) -> "JsonObject":
    call = DryRunCall.from_json(event)
    bind(request_id=call.request_id, workspace=call.workspace_id)
    try:
        failures = services.lint(*services.run_dry_run.load(call))
    except RenderFailure as failure:
        failures = [failure]
    return LintAnswer(tuple(map(ReportedFailure.of, failures))).to_json()


def _validate_received(
    event: "ValidationEvent", validate_received: "ValidateReceived"
) -> "JsonObject":
    call = ValidationCall.from_json(event)
    bind(request_id=call.request_id, workspace=call.workspace_id)
    return validate_received(call)


def _dry_run(event: "JsonObject", run_dry_run: "RunDryRun") -> "JsonObject":
    call = DryRunCall.from_json(event)
    bind(request_id=call.request_id, workspace=call.workspace_id)
    failure = run_dry_run(call)
    report = None if failure is None else ReportedFailure.of(failure)
    return DryRunAnswer(report).to_json()


def _run_queued(message: "ReceivedMessage", invocation: str, execute: "ExecuteRender") -> None:
    call = QueuedRender.from_json(message.body)
    bind(request_id=call.request_id, render=call.render_id, workspace=call.workspace_id)
    execute.run_queued(call, f"{invocation}/{message.id}", message.id)


def _run_answer(call: RunRenderCall, result: "AttemptResult") -> RunRenderAnswer:
    row = row_of(result.render) if result.render is not None else None
    first = next(iter(result.contents), None)
    if not call.return_body or first is None or len(first) > MAX_RETURNED_BYTES:
        return RunRenderAnswer(row, None)
    return RunRenderAnswer(row, b64encode(first).decode())
