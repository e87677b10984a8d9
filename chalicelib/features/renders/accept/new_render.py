"""Render of an accepted command, before its first attempt."""

import datetime as dt

from chalicelib.adapters.tracing import current_traceparent
from chalicelib.core.clock import format_rfc3339
from chalicelib.core.ids import RenderId
from chalicelib.engine.job import Job, PageJob
from chalicelib.features.renders.accept.command import RenderCommand
from chalicelib.features.renders.accept.redact_request import redacted_input, redacted_output
from chalicelib.features.renders.model import Render
from chalicelib.features.workspaces.limits.model import Reservation


def new_render(
    command: RenderCommand, render_id: RenderId, reservation: Reservation, now: dt.datetime
) -> Render:
    """Return the render of a resolved command, before its first attempt."""
    zero_retention = command.delivery_policy.zero_retention
    return Render(
        id=render_id,
        workspace_id=command.workspace.id,
        status="queued",
        mode=command.mode,
        test=command.key_mode == "test",
        input=redacted_input(command.job, zero_retention=zero_retention),
        output=redacted_output(command.job, zero_retention=zero_retention),
        delivery=command.delivery_policy.type,
        expires_in_s=command.delivery_policy.expires_in_s,
        hosted=command.delivery_policy.hosted,
        zero_retention=zero_retention,
        retention_days=command.delivery_policy.retention_days,
        max_pages=command.max_pages,
        engine=command.chosen_engine,
        reservation=reservation,
        created_at=format_rfc3339(now),
        request_id=command.request_id,
        traceparent=current_traceparent(),
        # Attempt 1 of a sync render is promised to its first invocation (decision 10).
        attempt=1 if command.mode == "sync" else 0,
        reference=command.reference,
        metadata=command.metadata,
        webhook=command.webhook,
        priority=command.priority,
        history_days=command.workspace.plan.history_days,
        template_id=command.template_id,
        template_version=command.template_version,
        email_count=_email_count(command.job),
        source=command.source,
        link_id=command.link_id,
    )


def _email_count(job: Job) -> int:
    """Return how many emails a job may give."""
    return len(job.emails.rules) if isinstance(job, PageJob) and job.emails is not None else 0
