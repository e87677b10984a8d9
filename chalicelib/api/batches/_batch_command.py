"""Batch commands built from requests."""

from typing import TYPE_CHECKING

from chalicelib.api.edge.endpoint import Call
from chalicelib.api.render._render_command import delivery_request, idempotency_key
from chalicelib.engine.job import PageJob
from chalicelib.engine.sources import TemplateSource
from chalicelib.features.batches.accept import BatchCommand, CsvItems
from chalicelib.features.batches.model import Combine
from chalicelib.features.renders.accept.command import RenderCommand
from chalicelib.features.renders.accept.delivery import delivery_policy
from chalicelib.features.webhooks.request_webhook import RequestWebhook

if TYPE_CHECKING:
    from chalicelib.contract.batches.request import BatchRequest


def batch_command(call: Call, request: "BatchRequest") -> BatchCommand:
    """Build the command of a batch request; raises `validation_error` for conflicting fields."""
    from chalicelib.contract.batches.request import CombineSpec  # noqa: PLC0415 -- pydantic is slow

    combine, webhook = request.combine or CombineSpec(), request.webhook
    return BatchCommand(
        render=_render_command(call, request),
        # The JSON as sent, not the models: numbers keep their digits.
        items=call.json["items"]
        if request.csv_upload_id is None
        else CsvItems(request.csv_upload_id, request.csv_mapping),
        combine=Combine(combine.merged_pdf, combine.zip, combine.zip_filename),
        webhook=None if webhook is None else RequestWebhook(webhook.url, tuple(webhook.events)),
    )


def _render_command(call: Call, request: "BatchRequest") -> RenderCommand:
    """Return the common part of a batch's renders."""
    from chalicelib.contract.render.output import OutputSpec, output_options  # noqa: PLC0415 -- pydantic is slow

    output = request.output or OutputSpec()
    job = PageJob(source=TemplateSource(request.template_id), output=output_options(output))
    return RenderCommand(
        workspace=call.caller.workspace,
        key_mode=call.caller.mode,
        mode="async",
        job=job,
        delivery_policy=delivery_policy(delivery_request(request.delivery), "async", job),
        request_id=call.request_id,
        key_allowlist=call.caller.templates,
        version=request.version,
        engine=request.engine,
        requested_test=request.test,
        reference=request.reference,
        metadata=request.metadata,
        idempotency=idempotency_key(call),
        explicit_output=output.model_dump(mode="json", exclude_unset=True),
    )
