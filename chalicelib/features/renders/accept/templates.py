"""Resolution of stored templates and includes into render commands."""

from collections.abc import Callable, Mapping, Sequence
from copy import replace
from typing import Any, Protocol

from chalicelib.core.ids import WorkspaceId
from chalicelib.features.renders.accept.command import RenderCommand
from chalicelib.features.renders.model import RenderBody
from chalicelib.features.templates.model import Template
from chalicelib.features.templates.options import (
    check_einvoice_carrier,
    has_pdf_output,
    merged_output,
)
from chalicelib.features.templates.schemas import CheckSchemas
from chalicelib.features.templates.sources import ResolvedSource, VersionChoice, resolve_includes
from chalicelib.features.workspaces.plans import Plan

# Returns output options with all defaults; raises `validation_error` for options that conflict.
type CompleteOutput = Callable[[Mapping[str, Any]], dict[str, Any]]
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


class ResolveTemplate:
    """Resolver that puts the source of a command's template into its body."""

    def __init__(
        self,
        templates: TemplateFinder,
        complete_output: CompleteOutput,
        read_upload_html: UploadHtmlReader,
    ) -> None:
        """Find templates in `templates`."""
        self._templates = templates
        self._complete_output = complete_output
        self._read_upload_html = read_upload_html

    def __call__(self, command: RenderCommand, version: VersionChoice) -> RenderCommand:
        """Return the command with its template's source, its merged output and its includes.

        Raises what `TemplateFinder` and `CompleteOutput` raise, `template_not_allowed_for_key` for
        an include, and `validation_error` if the PDF cannot carry the template's e-invoice.
        """
        if command.template_id is None:
            return self._with_includes(command)
        template = self._templates.find(command.workspace.id, command.template_id, version)
        explicit = command.explicit_output
        default: dict[str, Any] = {}
        output = merged_output(template.source, explicit)
        if "einvoice" not in explicit:
            output, default = _split_einvoice(output, command.workspace.plan)
            if "einvoice" in output:
                check_einvoice_carrier(explicit)
        render_input = command.body.input | _source_input(template) | default
        body = replace(command.body, input=render_input, output=self._complete_output(output))
        command = replace(command, body=body, template_version=template.version)
        return self._with_includes(command, [template.source.content, template.source.options])

    def render_body(
        self,
        plan: Plan,
        template: Template,
        template_source: ResolvedSource,
        data: Mapping[str, Any],
    ) -> RenderBody:
        """Return the body of a template's document with the template's own options only."""
        reference = {"type": "template", "template_id": template.id}
        output, default = _split_einvoice(merged_output(template_source.source, {}), plan)
        body = RenderBody(
            reference | _source_input(template_source) | default,
            dict(data),
            None,
            self._complete_output(output),
        )
        texts = [body.input, body.output]
        includes = resolve_includes(texts, template.workspace_id, self._templates.find)
        return replace(body, includes=includes)

    def _with_includes(
        self, command: RenderCommand, stored_texts: Sequence[Any] = ()
    ) -> RenderCommand:
        body = command.body
        if not body.input.get("templating"):
            return command
        find, workspace_id = self._templates.find, command.workspace.id
        allowed = command.key_allowlist
        if allowed:
            # The includes of an allowed template are part of it and need no entry of their own.
            allowed += tuple(resolve_includes(list(stored_texts), workspace_id, find).sources)
        texts: list[Any] = [body.input, body.output]
        if body.input.get("upload_id") is not None:
            texts.append(self._read_upload_html(workspace_id, body.input["upload_id"]))
        includes = resolve_includes(texts, workspace_id, find, allowed)
        return replace(command, body=replace(body, includes=includes))


def check_data(body: RenderBody, schemas: CheckSchemas) -> None:
    """Check data against the template's schema; data of a `data_url` are not loaded yet.

    Raises `data_schema_mismatch` or `template_fuel_exhausted`.
    """
    if body.data_url is None:
        schemas.check_data(body.input.get("schema"), body.data or {})


def _einvoice_omission(output: Mapping[str, Any], plan: Plan) -> str | None:
    """Return the reason why no file can carry a template's e-invoice, or None."""
    if not has_pdf_output(output):
        return "no_pdf"
    return None if "einvoices" in plan.features else "plan"


def _split_einvoice(output: dict[str, Any], plan: Plan) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the output, and the input field for an e-invoice that is not embedded."""
    default, omission = output.get("einvoice"), _einvoice_omission(output, plan)
    if default is None or omission is None:
        return output, {}
    without_einvoice = {name: value for name, value in output.items() if name != "einvoice"}
    return without_einvoice, {"einvoice": {**default, "left_out": omission}}


def _source_input(template_source: ResolvedSource) -> dict[str, Any]:
    schema = template_source.source.schema
    return _content_input(template_source) | ({} if schema is None else {"schema": schema})


def _content_input(template_source: ResolvedSource) -> dict[str, Any]:
    content = template_source.source.content
    if template_source.type == "image_canvas":
        return {"scene": content.get("scene") or {}, "templating": True}
    return {
        "html": content.get("html") or "",
        "head": content.get("head"),
        "css": content.get("css"),
        "templating": True,
    }
