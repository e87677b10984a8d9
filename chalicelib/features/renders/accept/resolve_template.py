"""Resolution of stored templates and includes into render commands."""

from collections.abc import Callable, Iterator, Mapping
from copy import replace
from typing import Protocol

import msgspec

from chalicelib.contract.options.output import EInvoiceOptions, OutputOptions
from chalicelib.core.ids import WorkspaceId
from chalicelib.core.json import Json, JsonObject, strings_in
from chalicelib.engine.delivery.emails import EmailRules
from chalicelib.engine.job import EInvoiceDefault, Job, Omission, PageJob
from chalicelib.engine.schemas.check_schemas import WorkspaceSchemas
from chalicelib.engine.sources import CanvasSource, HtmlSource, TemplateSource
from chalicelib.features.renders.accept.command import RenderCommand
from chalicelib.features.renders.accept.resolve_emails import (
    ReadEnabledRules,
    email_texts,
    resolved_emails,
)
from chalicelib.features.templates.allowed_includes import check_includes
from chalicelib.features.templates.model import Template
from chalicelib.features.templates.options import (
    check_einvoice_carrier,
    merged_output,
    output_formats,
)
from chalicelib.features.templates.sources import ResolvedSource, VersionChoice, resolve_includes
from chalicelib.features.workspaces.plans import Plan

# Returns output options with all defaults; raises `validation_error` for options that conflict.
type CompleteOutput = Callable[[JsonObject], OutputOptions]
# Returns the HTML of an upload; empty if a render with this upload is refused anyway.
type UploadHtmlReader = Callable[[WorkspaceId, str], str]


class TemplateFinder(Protocol):
    """Lookup of templates by id."""

    def find(
        self, workspace_id: WorkspaceId, template_id: str, version: VersionChoice
    ) -> ResolvedSource:
        """Return a version's source.

        Raises `template_not_found`, `template_deleted` or `version_not_found`.
        """
        ...


class ResolveTemplate(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Resolver that puts the source of a command's template into its job."""

    templates: TemplateFinder
    complete_output: CompleteOutput
    read_upload_html: UploadHtmlReader
    read_email_rules: ReadEnabledRules

    def __call__(self, command: RenderCommand, version: VersionChoice) -> RenderCommand:
        """Return the command with its template's source, output and email rules, and its includes.

        Raises what `TemplateFinder` and `CompleteOutput` raise, `template_not_allowed_for_key` for
        an include of the request, and `validation_error` for a requested email rule that is not the
        template's, or if the PDF cannot carry the template's e-invoice.
        """
        check_includes(_sent_texts(command), "", command.key_allowlist)
        job = command.job
        if not isinstance(job, PageJob):
            return command
        if command.template_id is not None:
            template = self.templates.find(command.workspace.id, command.template_id, version)
            emails = command.emails or resolved_emails(
                command.workspace,
                template,
                command.delivery_policy.emails,
                self.read_email_rules,
                zero_retention=command.delivery_policy.zero_retention,
            )
            job = replace(self._merge(job, command, template), emails=emails)
            command = replace(command, template_version=template.version)
        return replace(command, job=self._with_includes(job, command))

    def page_job(
        self,
        plan: Plan,
        template: Template,
        template_source: ResolvedSource,
        data: JsonObject,
        emails: EmailRules | None = None,
        *,
        explicit: JsonObject | None = None,
    ) -> PageJob:
        """Return the job of a template's document with its own options, below `explicit`."""
        merged = merged_output(template_source.source, explicit or {})
        output, default = _split_einvoice(merged, plan)
        job = PageJob(
            source=TemplateSource(template.id, _content(template_source)),
            output=self.complete_output(output),
            data=data,
            schema=template_source.source.schema,
            einvoice_default=default,
            emails=emails,
        )
        includes = resolve_includes(_texts(job), template.workspace_id, self.templates.find)
        return replace(job, includes=includes)

    def _merge(self, job: PageJob, command: RenderCommand, template: ResolvedSource) -> PageJob:
        explicit, default = command.explicit_output, None
        output: JsonObject = merged_output(template.source, explicit)
        if "einvoice" not in explicit:
            output, default = _split_einvoice(output, command.workspace.plan)
            if "einvoice" in output and "pdf" in output_formats(output):
                check_einvoice_carrier(explicit)
        assert isinstance(job.source, TemplateSource)
        return replace(
            job,
            source=replace(job.source, content=_content(template)),
            output=self.complete_output(output),
            schema=template.source.schema,
            einvoice_default=default,
        )

    def _with_includes(self, job: PageJob, command: RenderCommand) -> PageJob:
        if not job.source.has_templates and job.emails is None:
            return job
        workspace_id = command.workspace.id
        uploaded = {
            pointer: self.read_upload_html(workspace_id, upload_id)
            for pointer, upload_id in job.source.referenced_uploads().items()
        }
        if command.template_id is None:
            for pointer, text in uploaded.items():
                check_includes(text, pointer, command.key_allowlist)
        texts = [*_texts(job), *uploaded.values()]
        includes = resolve_includes(texts, workspace_id, self.templates.find)
        return replace(job, includes=includes)


def check_data(job: Job, workspace_id: WorkspaceId, schemas: WorkspaceSchemas) -> None:
    """Check data against the template's schema; data of a `data_url` are not loaded yet.

    Raises `data_schema_mismatch`, `template_fuel_exhausted` or `region_degraded`.
    """
    if isinstance(job, PageJob) and job.schema is not None and job.data_url is None:
        schemas(workspace_id).check_data(job.schema, job.data or {})


def _sent_texts(command: RenderCommand) -> JsonObject:
    """Return the fields of a request that may include templates, at their places in it.

    Texts of an email rule that comes with the request are checked where it is read.
    """
    storage = command.delivery_policy.request.storage or ()
    sent: dict[str, Json] = {"delivery": {"storage": [{"path": each.path} for each in storage]}}
    job = command.job
    is_stored = command.template_id is not None
    if isinstance(job, PageJob) and (is_stored or job.source.has_templates):
        sent["output"] = command.explicit_output
        if not is_stored:
            sent["input"] = msgspec.to_builtins(job.source)
    return sent


def _texts(job: PageJob) -> Iterator[str]:
    """Yield the texts of a job that may include templates."""
    yield from job.source.texts()
    yield from strings_in(job.output.to_json())
    yield from email_texts(job.emails)


def _einvoice_omission(output: JsonObject, plan: Plan) -> Omission | None:
    """Return the reason why no file can carry a template's e-invoice, or None."""
    if {"pdf", "xml"}.isdisjoint(output_formats(output)):
        return "no_pdf"
    return None if "einvoices" in plan.features else "plan"


def _split_einvoice(output: JsonObject, plan: Plan) -> tuple[JsonObject, EInvoiceDefault | None]:
    """Return the output, and the e-invoice of the template if it is not embedded."""
    default, omission = output.get("einvoice"), _einvoice_omission(output, plan)
    if not isinstance(default, Mapping) or omission is None:
        return output, None
    without_einvoice = {name: value for name, value in output.items() if name != "einvoice"}
    return without_einvoice, EInvoiceDefault(EInvoiceOptions.from_json(default), omission)


def _content(template: ResolvedSource) -> HtmlSource | CanvasSource:
    content = template.source.content
    if template.type == "image_canvas":
        return msgspec.convert({"type": "canvas", "scene": {}, **content}, CanvasSource)
    texts = {name: content.get(name) for name in ("html", "head", "css")}
    source = msgspec.convert({"type": "html", **texts}, HtmlSource)
    return replace(source, html=source.html or "", templating=True)
