"""From a request that makes a render to the order of it."""

from dataclasses import replace
from typing import TYPE_CHECKING

from chalicelib.api.edge.endpoint import Call
from chalicelib.core import json
from chalicelib.core.ids import sha256_hex
from chalicelib.features.renders.accept.command import RenderCommand
from chalicelib.features.renders.accept.delivery import DeliveryRequest, delivery_policy
from chalicelib.features.renders.idempotency import IdempotencyKey
from chalicelib.features.renders.model import RenderBody

if TYPE_CHECKING:
    from chalicelib.contract.einvoices import EInvoiceRequest
    from chalicelib.contract.render.request import RenderRequest


def render_command(call: Call, request: "RenderRequest") -> RenderCommand:
    """Return what a request orders; raises `validation_error` for what does not go together."""
    from chalicelib.contract.render.output import OutputSpec  # noqa: PLC0415 -- pydantic is slow

    wanted = request.input.model_dump()
    if wanted["type"] == "html" and wanted["templating"] is None:
        wanted["templating"] = request.data is not None or request.data_url is not None
    output = request.output or OutputSpec()
    body = RenderBody(wanted, request.data, request.data_url, output.model_dump(mode="json"))
    return replace(
        _command(call, request, body),
        key_allowlist=call.caller.key.templates,
        version=request.version,
        engine=request.engine,
        explicit_output=output.model_dump(mode="json", exclude_unset=True),
    )


def einvoice_command(call: Call, request: "EInvoiceRequest") -> RenderCommand:
    """Return what a request for an e-invoice orders; raises as `order_of`."""
    from chalicelib.contract.render.output import OutputSpec  # noqa: PLC0415 -- pydantic is slow

    wanted = {
        "type": "einvoice",
        "profile": request.profile,
        "syntax": request.syntax,
        # As it was sent: what is not said is absent, and a number keeps its digits.
        "invoice": call.json["invoice"],
    }
    only_xml = {"format": "xml", "filename": request.filename}
    return _command(
        call,
        request,
        RenderBody(wanted, None, None, OutputSpec().model_dump(mode="json") | only_xml),
    )


def _command(
    call: Call, request: "RenderRequest | EInvoiceRequest", body: RenderBody
) -> RenderCommand:
    return RenderCommand(
        workspace=call.caller.workspace,
        key_mode=call.caller.mode,
        mode=request.mode,
        body=body,
        delivery_policy=delivery_policy(_delivery_request(request), request.mode, body),
        request_id=call.request_id,
        priority=request.priority,
        requested_test=request.test,
        reference=request.reference,
        metadata=request.metadata,
        idempotency=_idempotency_key(call),
        received_bytes=len(call.raw_body),
    )


def _delivery_request(request: "RenderRequest | EInvoiceRequest") -> DeliveryRequest:
    from chalicelib.contract.render.request import DeliverySpec  # noqa: PLC0415 -- pydantic is slow

    asked = request.delivery or DeliverySpec()
    said_late = "timeout_behavior" in request.model_fields_set
    return DeliveryRequest(
        type=asked.type,
        hosted=asked.hosted,
        retention=asked.retention,
        retention_days=asked.retention_days,
        expires_in_s=asked.expires_in,
        timeout_behavior=request.timeout_behavior if said_late else None,
    )


def _idempotency_key(call: Call) -> IdempotencyKey | None:
    if call.idempotency_key is None:
        return None
    return IdempotencyKey(
        call.caller.workspace_id,
        call.caller.mode,
        f"{call.endpoint.method} {call.endpoint.path}",
        call.idempotency_key,
        sha256_hex(json.canonical_bytes(call.json)),
    )
