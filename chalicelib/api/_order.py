"""From a request that makes a render to the order of it."""

from dataclasses import replace
from typing import TYPE_CHECKING

from chalicelib.api._endpoint import Call
from chalicelib.core import json
from chalicelib.core.crypto import sha256_hex
from chalicelib.features.renders.delivery import Wish, terms_of
from chalicelib.features.renders.idempotency import IdempotencyKey
from chalicelib.features.renders.model import Body
from chalicelib.features.renders.order import Order

if TYPE_CHECKING:
    from chalicelib.contract.einvoices import EInvoiceRequest
    from chalicelib.contract.renders import RenderRequest


def order_of(call: Call, request: "RenderRequest") -> Order:
    """Return what a request orders; raises `validation_error` for what does not go together."""
    from chalicelib.contract.output import OutputSpec  # noqa: PLC0415 -- pydantic, see _body.py

    wanted = request.input.model_dump()
    if wanted["type"] == "html" and wanted["templating"] is None:
        wanted["templating"] = request.data is not None or request.data_url is not None
    output = request.output or OutputSpec()
    body = Body(wanted, request.data, request.data_url, output.model_dump(mode="json"))
    return replace(
        _order(call, request, body),
        key_templates=call.caller.key.templates,
        version=request.version,
        engine=request.engine,
        said_output=output.model_dump(mode="json", exclude_unset=True),
    )


def einvoice_order_of(call: Call, request: "EInvoiceRequest") -> Order:
    """Return what a request for an e-invoice orders; raises as `order_of`."""
    from chalicelib.contract.output import OutputSpec  # noqa: PLC0415 -- pydantic, see _body.py

    wanted = {
        "type": "einvoice",
        "profile": request.profile,
        "syntax": request.syntax,
        # As it was sent: what is not said is absent, and a number keeps its digits.
        "invoice": call.json["invoice"],
    }
    only_xml = {"format": "xml", "filename": request.filename}
    return _order(
        call, request, Body(wanted, None, None, OutputSpec().model_dump(mode="json") | only_xml)
    )


def _order(call: Call, request: "RenderRequest | EInvoiceRequest", body: Body) -> Order:
    return Order(
        workspace=call.caller.workspace,
        key_mode=call.caller.mode,
        mode=request.mode,
        body=body,
        terms=terms_of(_wish(request), request.mode, body),
        request_id=call.request_id,
        priority=request.priority,
        asks_for_test=request.test,
        reference=request.reference,
        metadata=request.metadata,
        idempotency=_idempotency(call),
        received_bytes=len(call.raw_body),
    )


def _wish(request: "RenderRequest | EInvoiceRequest") -> Wish:
    from chalicelib.contract.renders import DeliverySpec  # noqa: PLC0415 -- pydantic, see _body.py

    asked = request.delivery or DeliverySpec()
    said_late = "timeout_behavior" in request.model_fields_set
    return Wish(
        type=asked.type,
        hosted=asked.hosted,
        retention=asked.retention,
        retention_days=asked.retention_days,
        expires_in_s=asked.expires_in,
        late=request.timeout_behavior if said_late else None,
    )


def _idempotency(call: Call) -> IdempotencyKey | None:
    if call.idempotency_key is None:
        return None
    return IdempotencyKey(
        call.caller.workspace_id,
        call.caller.mode,
        f"{call.endpoint.method} {call.endpoint.path}",
        call.idempotency_key,
        sha256_hex(json.canonical(call.json)),
    )
