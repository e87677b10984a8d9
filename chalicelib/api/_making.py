"""What every endpoint that makes a render does: accept it, run or queue it, answer."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from chalicelib.adapters.json_logs import about
from chalicelib.api._delivered import delivered
from chalicelib.api._endpoint import JSON, Call, Reply
from chalicelib.api._order import order_of
from chalicelib.core.errors import Conflict, FieldError, ServiceError
from chalicelib.features.renders.create import Accepted
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.order import Order
from chalicelib.features.renders.run_now import Ran, Waiting

if TYPE_CHECKING:
    from chalicelib.contract.renders import RenderRequest

type Headers = Mapping[str, str]

_RENDER: Final = "chalicelib.contract.render:Render"
# The fields of Endpoint that these endpoints have in common.
ROW: Final[Mapping[str, Any]] = {
    "scope": "render:write",
    "tag": "Renders",
    "answers": {200: _RENDER, 202: _RENDER, 303: None},
    "answer_types": (
        JSON,
        "application/pdf",
        "image/png",
        "image/jpeg",
        "image/webp",
        "text/html",
        "application/zip",
        "text/plain",
    ),
    "problems": (
        "plan_feature_unavailable",
        "einvoice_invalid",
        "einvoice_validation_failed",
        "pdfa_conversion_failed",
        "pdfua_validation_failed",
        "test_key_required",
        "template_not_allowed_for_key",
        "email_not_verified",
        "region_not_enabled",
        "render_limit_reached",
        "concurrency_limited",
        "template_not_found",
        "template_deleted",
        "version_not_found",
        "conflict",
        "render_timeout",
        "upload_not_found",
        "template_syntax_error",
        "template_runtime_error",
        "template_fuel_exhausted",
        "data_schema_mismatch",
        "data_invalid",
        "scene_invalid",
        "data_url_fetch_failed",
        "url_not_allowed",
        "asset_fetch_failed",
        "attachment_failed",
        "wait_timeout",
        "navigation_failed",
        "page_limit_exceeded",
        "output_too_large",
        "render_failed",
        "render_lost",
        "region_degraded",
        "maintenance",
        "file_expired",
    ),
    "idempotent": True,
    "counts_itself": True,
}


def carry_out(call: Call, request: "RenderRequest") -> Reply:
    """Accept the render that a call asks for, run or queue it, and answer how it stands."""
    return carry_out_order(call, order_of(call, request))


def carry_out_order(call: Call, order: Order) -> Reply:
    """Accept the render that is ordered, run or queue it, and answer how it stands."""
    accepted = call.services.create_render(order, call.counted)
    about(render=accepted.render.id)
    if accepted.repeat is not None:
        return _repeat(call, accepted)
    if order.mode == "async":
        call.services.enqueue_render.send(accepted.render)
        return _unfinished(call, accepted.render, {})
    waiting = Waiting(
        deadline=call.deadline,
        cancel_late=order.terms.cancel_late,
        idempotency=order.idempotency,
    )
    return _answer(call, call.services.run_now(accepted.render, accepted.body, waiting), {})


def _repeat(call: Call, accepted: Accepted) -> Reply:
    assert accepted.repeat is not None
    render, first = accepted.render, accepted.repeat.accepted
    headers = {"Idempotent-Replayed": "true"}
    if first is None:
        return _answer(call, Ran(render), headers)
    if render.status == "queued" and render.body_key is not None:
        # The first request may have died before it could do this.
        call.services.enqueue_render.send(render)
    shown = call.services.present_render.as_accepted(render, first)
    return Reply(202, shown, headers={**headers, **_location(call, render)})


def _unfinished(call: Call, render: Render, headers: Headers) -> Reply:
    shown = call.services.present_render(render)
    return Reply(202, shown, headers={**headers, **_location(call, render)})


def _answer(call: Call, ran: Ran, headers: Headers) -> Reply:
    render = ran.render
    if not render.is_final:
        return _unfinished(call, render, headers)
    if render.error is not None:
        raise _problem(render, headers)
    if render.status == "canceled":
        detail = "The render was canceled by another request."
        raise Conflict("conflict", detail, headers=headers, render_id=render.id)
    return delivered(call, ran, headers)


def _problem(render: Render, headers: Headers) -> ServiceError:
    error = dict(render.error or {})
    code, message = error.pop("code"), error.pop("message")
    errors = [FieldError(**entry) for entry in error.pop("errors", None) or ()]
    if render.result is not None:
        error["result"] = render.result
    return ServiceError(code, message, errors=errors, headers=headers, render_id=render.id, **error)


def _location(call: Call, render: Render) -> Headers:
    return {"Location": f"{call.services.settings.base_url}/renders/{render.id}"}
