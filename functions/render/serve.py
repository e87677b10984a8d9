"""What the render function does with an event: one render, or each render of a queue's batch."""

import logging
from base64 import b64encode
from typing import TYPE_CHECKING, Any, NamedTuple

from chalicelib.adapters.aws.messages import UnknownVersion
from chalicelib.adapters.json_logs import about, scope
from chalicelib.core.errors import RenderFailure
from chalicelib.core.traces import kind_of
from chalicelib.features.renders.examination import Examination
from chalicelib.features.renders.protocol import (
    MAX_RETURNED_BYTES,
    QueuedRender,
    RunAnswer,
    RunRender,
)
from chalicelib.features.renders.rehearsal import Rehearsal, answer_of, lint_answer_of
from chalicelib.features.renders.rows import row_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from chalicelib.adapters.aws.messages import Inboxes, Message
    from chalicelib.engine.job import Job
    from chalicelib.features.renders.examine import ExamineEInvoice
    from chalicelib.features.renders.execute import Executed, ExecuteRender

log = logging.getLogger(__name__)


class Failed(Exception):  # noqa: N818 -- says what happened
    """An invocation failed; the platform writes down this text, so it is nobody's but ours."""


class Host(NamedTuple):
    """What this process works with."""

    execute: "ExecuteRender"
    inbox: "Inboxes"
    lint: "Callable[[Job], list[RenderFailure]]"
    examine: "ExamineEInvoice"


def serve(event: dict[str, Any], invocation: str, host: Host) -> dict[str, Any]:
    """Run what an event asks for; answer with RunAnswer, or with a batch's failed messages.

    A rehearsal is answered with why it failed, if it did; templates that are only tried, with all
    that they would be failed for; an e-invoice of others, with what it is worth.
    """
    with scope(invocation=invocation):
        if "Records" in event:
            return host.inbox.work_off(
                event["Records"], lambda message: _queued(message, invocation, host.execute)
            )
        try:
            if "lint" in event:
                return _linted(event, host)
            if "examination" in event:
                return _examined(event, host.examine)
            if "rehearsal" in event:
                return _rehearsed(event, host.execute)
            return _now(event, invocation, host.execute).to_json()
        except UnknownVersion as unknown:
            log.warning("called by another release", extra={"reason": str(unknown)})
            raise Failed(kind_of(unknown)) from None
        except Exception as error:
            log.exception("render failed unexpectedly")
            # Without what it comes from: the platform would write that down as well.
            raise Failed(kind_of(error)) from None


def _now(event: dict[str, Any], invocation: str, execute: "ExecuteRender") -> RunAnswer:
    order = RunRender.from_json(event)
    about(request_id=order.request_id, render=order.render_id, workspace=order.workspace_id)
    return _answer(order, execute.now(order, invocation))


def _linted(event: dict[str, Any], host: Host) -> dict[str, Any]:
    order = Rehearsal.from_json(event)
    about(request_id=order.request_id, workspace=order.workspace_id)
    try:
        return lint_answer_of(host.lint(host.execute.job_of(order)))
    except RenderFailure as failure:
        return lint_answer_of([failure])


def _examined(event: dict[str, Any], examine: "ExamineEInvoice") -> dict[str, Any]:
    order = Examination.from_json(event)
    about(request_id=order.request_id, workspace=order.workspace_id)
    return examine(order)


def _rehearsed(event: dict[str, Any], execute: "ExecuteRender") -> dict[str, Any]:
    order = Rehearsal.from_json(event)
    about(request_id=order.request_id, workspace=order.workspace_id)
    return answer_of(execute.rehearsed(order))


def _queued(message: "Message", invocation: str, execute: "ExecuteRender") -> None:
    order = QueuedRender.from_json(message.body)
    about(request_id=order.request_id, render=order.render_id, workspace=order.workspace_id)
    execute.queued(order, f"{invocation}/{message.id}", message.id)


def _answer(order: RunRender, executed: "Executed") -> RunAnswer:
    row = row_of(executed.render) if executed.render is not None else None
    first = next(iter(executed.contents), None)
    if not order.return_body or first is None or len(first) > MAX_RETURNED_BYTES:
        return RunAnswer(row, None)
    return RunAnswer(row, b64encode(first).decode())
