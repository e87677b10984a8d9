"""Check of a request that makes no render: the report, the totals of its e-invoice, its cost."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from chalicelib.api.edge.auth import KeyAuth
from chalicelib.api.edge.endpoint import Call, Reply
from chalicelib.api.template._template_request import dry_run_deadline
from chalicelib.core.errors import ServiceError
from chalicelib.features.previews.preflight import refusal_report

if TYPE_CHECKING:
    from pydantic import BaseModel

    from chalicelib.features.renders.accept.command import RenderCommand

# Fields of Endpoint that all endpoints of checks have in common.
PREFLIGHT_FIELDS: Final[Mapping[str, Any]] = {
    "auth": KeyAuth("render:write"),
    "validates_body_itself": True,
    "answers": {200: "chalicelib.contract.render.request:Preflight"},
    "problems": ("concurrency_limited", "region_degraded"),
}


def preflight_reply(call: Call, make_command: "Callable[[BaseModel], RenderCommand]") -> Reply:
    """Return the report about the render that `make_command` returns for the body's model."""
    from chalicelib.contract.validation import read_body  # noqa: PLC0415 -- pydantic is slow to import

    assert call.endpoint.body_model is not None
    try:
        command = make_command(read_body(call.endpoint.body_model, call.raw_body, call.json))
        report = call.services.renders.preflight(command, dry_run_deadline(call))
    except ServiceError as refusal:
        report = refusal_report(refusal)
    cost = call.services.renders.read_cost(call.caller.workspace, call.caller.mode)
    found = [*report.errors, *(refusal_report(cost.refusal).errors if cost.refusal else ())]
    return Reply(
        200,
        {
            "ok": not found,
            "errors": [error._asdict() for error in found],
            "warnings": [warning._asdict() for warning in report.warnings],
            "invoice": report.invoice,
            "cost": {"renders": cost.renders, "remaining": cost.remaining},
        },
    )
