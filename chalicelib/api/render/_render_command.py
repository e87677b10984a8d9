"""Render commands built from requests for renders and e-invoices."""

from copy import replace
from typing import TYPE_CHECKING

import msgspec

from chalicelib.api.edge.endpoint import Call
from chalicelib.contract.options.assets import PageAsset
from chalicelib.core import json
from chalicelib.core.ids import sha256_hex
from chalicelib.engine.job import InvoiceJob, Job, PageJob, PdfToolJob
from chalicelib.engine.sources import HtmlSource, Source
from chalicelib.features.renders.accept.command import RenderCommand
from chalicelib.features.renders.accept.delivery import (
    DeliveryRequest,
    RequestedStorage,
    TimeoutBehavior,
    delivery_policy,
)
from chalicelib.features.renders.accept.resolve_emails import EmailTarget
from chalicelib.features.renders.idempotency.model import IdempotencyKey
from chalicelib.features.webhooks.request_webhook import RequestWebhook

if TYPE_CHECKING:
    from chalicelib.contract.einvoices import EInvoiceRequest
    from chalicelib.contract.pdf_tools.source import ToolRequest
    from chalicelib.contract.render.request import DeliverySpec, RenderRequest, RunOptions


def render_command(call: Call, request: "RenderRequest") -> RenderCommand:
    """Build the command of a render request; raises `validation_error` for conflicting fields."""
    from chalicelib.contract.render.output import OutputSpec, output_options  # noqa: PLC0415 -- pydantic is slow

    given = request.input.model_dump(exclude_none=True)
    assets = msgspec.convert(given.pop("assets", ()), tuple[PageAsset, ...])
    source: Source = msgspec.convert(given, Source)
    has_data = request.data is not None or request.data_url is not None
    if isinstance(source, HtmlSource) and "templating" not in given:
        source = replace(source, templating=has_data)
    output = request.output or OutputSpec()
    job = PageJob(
        source=source,
        output=output_options(output),
        data=request.data,
        data_url=request.data_url,
        assets=assets,
    )
    return replace(
        _command(call, request, job),
        version=request.version,
        engine=request.engine,
        explicit_output=output.model_dump(mode="json", exclude_unset=True),
    )


def einvoice_command(call: Call, request: "EInvoiceRequest") -> RenderCommand:
    """Build the command of an e-invoice request; raises as `render_command` does."""
    from chalicelib.contract.aliases import in_our_names  # noqa: PLC0415 -- pydantic is slow
    from chalicelib.contract.invoice.invoice import Invoice  # noqa: PLC0415

    job = InvoiceJob(
        profile=request.profile,
        syntax=request.written_syntax,
        # The JSON as sent, not the model: absent fields stay absent, numbers keep their digits.
        invoice=in_our_names(Invoice, call.json["invoice"]),
        filename=request.filename,
        fail_on=tuple(request.fail_on),
    )
    return _command(call, request, job)


def pdf_tool_command(call: Call, tool: str, request: "ToolRequest") -> RenderCommand:
    """Build the command of a request of a PDF tool; raises as `render_command` does."""
    from chalicelib.contract.pdf_tools.requests import tool_options, tool_sources  # noqa: PLC0415 -- pydantic is slow

    job = PdfToolJob(
        options=tool_options(tool, request),
        sources=tool_sources(request),
        max_pages=call.caller.workspace.plan.max_pages,
        filename=request.filename,
        fail_on=tuple(request.fail_on),
    )
    return _command(call, request, job)


def _command(call: Call, request: "RunOptions", job: Job) -> RenderCommand:
    # The default of an absent `timeout_behavior` depends on the delivery (decision 17).
    is_explicit = "timeout_behavior" in request.model_fields_set
    delivery = delivery_request(request.delivery, request.timeout_behavior if is_explicit else None)
    return RenderCommand(
        workspace=call.caller.workspace,
        key_mode=call.caller.mode,
        mode=request.mode,
        job=job,
        delivery_policy=delivery_policy(delivery, request.mode, job),
        request_id=call.request_id,
        key_allowlist=call.caller.templates,
        priority=request.priority,
        requested_test=request.test,
        reference=request.reference,
        metadata=request.metadata,
        webhook=_request_webhook(request),
        idempotency=idempotency_key(call),
        received_bytes=len(call.raw_body),
    )


def _request_webhook(
    request: "RunOptions",
) -> RequestWebhook | None:
    webhook = request.webhook
    return None if webhook is None else RequestWebhook(webhook.url, tuple(webhook.events))


def delivery_request(
    spec: "DeliverySpec | None", timeout_behavior: TimeoutBehavior | None = None
) -> DeliveryRequest:
    """Return the delivery options of a request."""
    from chalicelib.contract.render.request import DeliverySpec  # noqa: PLC0415 -- pydantic is slow

    delivery = spec or DeliverySpec()
    return DeliveryRequest(
        type=delivery.type,
        hosted=delivery.hosted,
        retention=delivery.retention,
        retention_days=delivery.retention_days,
        expires_in_s=delivery.expires_in,
        timeout_behavior=timeout_behavior,
        emails=_email_targets(delivery),
        storage=_storage_targets(delivery),
    )


def _email_targets(delivery: "DeliverySpec") -> tuple[EmailTarget, ...] | None:
    targets = delivery.email
    if targets is None:
        return None
    named = () if isinstance(targets, bool) else targets
    return tuple(EmailTarget.from_json(each.model_dump()) for each in named)


def _storage_targets(delivery: "DeliverySpec") -> tuple[RequestedStorage, ...] | None:
    if delivery.storage is None:
        return None
    return tuple(
        RequestedStorage(each.destination_id, each.path, each.keep_hosted_copy)
        for each in delivery.storage
    )


def idempotency_key(call: Call) -> IdempotencyKey | None:
    """Return the Idempotency-Key of a call with its scope, or None."""
    if call.idempotency_key is None:
        return None
    return IdempotencyKey(
        call.caller.workspace_id,
        call.caller.mode,
        f"{call.endpoint.method} {call.endpoint.path}",
        call.idempotency_key,
        sha256_hex(json.canonical_bytes(call.json)),
    )
