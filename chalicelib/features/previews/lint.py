"""Lint of a render's templates: run each text without rendering a page."""

import re
from copy import replace
from typing import Final

from chalicelib.adapters.aws.functions import LambdaFunction
from chalicelib.core.clock import Clock
from chalicelib.core.errors import FieldError, ServiceError
from chalicelib.core.ids import IdGenerator, RenderId
from chalicelib.core.json import JsonObject
from chalicelib.engine.job import PageJob
from chalicelib.engine.sources import Source
from chalicelib.features.previews.dry_run import DryRunCall, LintAnswer, ReportedFailure
from chalicelib.features.renders.accept.command import RenderCommand
from chalicelib.features.renders.run.bodies import RenderBodies, is_large
from chalicelib.features.renders.run.invoke import invoke_with_retry
from chalicelib.features.renders.run.protocol import MAX_BODY_BYTES
from chalicelib.features.templates.datasets import ReadDatasets
from chalicelib.features.templates.read import ReadTemplates

_MAX_S: Final = 15.0
_SYNTAX_ERROR: Final = "template_syntax_error"
# Start of the engine's message about one text.
_TEXT_NAME: Final = re.compile(r"(html|head|css|output(?:\.\w+)+|layers\S*\.bind): ")


class LintTemplates:
    """Lint of a command's templates in the render function."""

    def __init__(
        self,
        *,
        templates: ReadTemplates,
        datasets: ReadDatasets,
        bodies: RenderBodies,
        function: LambdaFunction,
        clock: Clock,
        ids: IdGenerator,
    ) -> None:
        """Build from the stores and the render function."""
        self._bodies = bodies
        self._ids = ids
        self._templates = templates
        self._datasets = datasets
        self._function = function
        self._clock = clock

    def __call__(self, command: RenderCommand, deadline: float) -> list[FieldError]:
        """Return the errors in the texts of a command's template, by `deadline` (Unix seconds).

        A request without data is linted with the template's default dataset. Raises
        `region_degraded` if no answer comes, and `payload_too_large` for a body that would need the
        bucket although nothing may be stored (decision 17).
        """
        job = command.job
        if not isinstance(job, PageJob) or not job.source.has_templates:
            return []
        has_data_url = job.data_url is not None
        if job.data is None and not has_data_url:
            job = replace(job, data=self._default_data(command))
        failures = self._failures(command, replace(job, data_url=None), deadline)
        if has_data_url:
            # The data are not loaded: only syntax errors do not depend on them.
            failures = [each for each in failures if each.code == _SYNTAX_ERROR]
        return [_field_error(each, job.source) for each in failures]

    def _default_data(self, command: RenderCommand) -> JsonObject | None:
        if command.template_id is None:
            return None
        template = self._templates.one(command.workspace.id, command.template_id)
        if template.default_dataset is None:
            return None
        dataset = self._datasets.one(template, template.default_dataset)
        return self._datasets.data(template, dataset)

    def _failures(
        self, command: RenderCommand, job: PageJob, deadline: float
    ) -> list[ReportedFailure]:
        if is_large(job):
            return self._failures_via_bucket(command, job, deadline)
        return self._invoke(command, job, None, deadline)

    def _failures_via_bucket(
        self, command: RenderCommand, job: PageJob, deadline: float
    ) -> list[ReportedFailure]:
        if command.delivery_policy.zero_retention:
            detail = "With retention none nothing waits in the bucket, and this cannot be handed on"
            raise ServiceError("payload_too_large", f"{detail}: at most {MAX_BODY_BYTES} bytes.")
        body_id = RenderId(self._ids.new("rnd", self._clock.now()))
        with self._bodies.temporary_body(command.workspace.id, body_id, job) as key:
            return self._invoke(command, None, key, deadline)

    def _invoke(
        self, command: RenderCommand, job: PageJob | None, body_key: str | None, deadline: float
    ) -> list[ReportedFailure]:
        ends_at = min(self._clock.now().timestamp() + _MAX_S, deadline)
        event = DryRunCall(
            workspace_id=command.workspace.id,
            request_id=command.request_id,
            job=job,
            body_key=body_key,
            max_pages=command.max_pages,
            ends_at=ends_at,
        ).to_json() | {"lint": True}
        purpose = "trying the template"
        answer = invoke_with_retry(
            self._function, event, purpose=purpose, deadline=ends_at, clock=self._clock
        )
        return list(LintAnswer.from_json(answer).failures)


def _field_error(failure: ReportedFailure, source: Source) -> FieldError:
    line, column, excerpt = map(failure.members.get, ("line", "column", "excerpt"))
    prefix = _TEXT_NAME.match(failure.message)
    message = failure.message[prefix.end() if prefix else 0 :]
    if line is not None:
        message = f"line {line}, column {column}: {message} ({excerpt})"
    if prefix:
        message = f"{prefix[1]}: {message}"
    return FieldError(_field_pointer(prefix[1] if prefix else "", source), failure.code, message)


def _field_pointer(text_name: str, source: Source) -> str:
    """Return the JSON Pointer to the field of the request that has a text."""
    if text_name.startswith("output."):
        return f"/{text_name.replace('.', '/')}"
    return source.text_pointer(text_name)
