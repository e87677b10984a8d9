"""Stored templates in renders: their source and defaults, put into the order that names one."""

from collections.abc import Callable, Mapping, Sequence
from copy import replace
from typing import Any, Protocol

from chalicelib.core.ids import WorkspaceId
from chalicelib.features.renders.model import Body
from chalicelib.features.renders.order import Order
from chalicelib.features.templates.includes import included_in
from chalicelib.features.templates.model import Template
from chalicelib.features.templates.options import check_carrier, draws_pdf, output_of
from chalicelib.features.templates.schemas import CheckSchemas
from chalicelib.features.templates.sources import Choice, TemplateSource
from chalicelib.features.workspaces.plans import Plan

# The whole OutputSpec of one in part; raises `validation_error` where it does not go together.
type CompleteOutput = Callable[[Mapping[str, Any]], dict[str, Any]]
# The HTML of an upload; nothing where a render that names it is refused.
type UploadedHtml = Callable[[WorkspaceId, str], str]


class TemplateSources(Protocol):
    """Templates by id."""

    def find(self, workspace_id: WorkspaceId, template_id: str, version: Choice) -> TemplateSource:
        """Return a version's source.

        Raises `template_not_found`, `template_deleted` or `version_not_found`.
        """
        ...


class PutTemplates:
    """Puts the source of the template that an order names into its body."""

    def __init__(
        self, templates: TemplateSources, complete: CompleteOutput, uploaded: UploadedHtml
    ) -> None:
        """Find them there."""
        self._templates = templates
        self._complete = complete
        self._uploaded = uploaded

    def __call__(self, order: Order, version: Choice) -> Order:
        """Return the order with the source in place, where it names one, and what is included.

        Raises what `TemplateSources` and `CompleteOutput` raise, and `validation_error` where the
        request's PDF cannot carry the template's e-invoice.
        """
        if order.template_id is None:
            return self._with_includes(order)
        found = self._templates.find(order.workspace.id, order.template_id, version)
        said = order.said_output
        default: dict[str, Any] = {}
        output = output_of(found.source, said)
        if "einvoice" not in said:
            output, default = _parted(output, order.workspace.plan)
            if "einvoice" in output:
                check_carrier(said)
        wanted = order.body.input | _source(found) | default
        body = replace(order.body, input=wanted, output=self._complete(output))
        order = replace(order, body=body, template_version=found.version)
        return self._with_includes(order, [found.source.content, found.source.options])

    def body_of(
        self, plan: Plan, template: Template, found: TemplateSource, data: Mapping[str, Any]
    ) -> Body:
        """Return what a template's document is made from where a request says nothing else."""
        named = {"type": "template", "template_id": template.id}
        output, default = _parted(output_of(found.source, {}), plan)
        body = Body(named | _source(found) | default, dict(data), None, self._complete(output))
        texts = [body.input, body.output]
        includes = included_in(texts, template.workspace_id, self._templates.find)
        return replace(body, includes=includes)

    def _with_includes(self, order: Order, stored: Sequence[Any] = ()) -> Order:
        body = order.body
        if not body.input.get("templating"):
            return order
        find, workspace_id = self._templates.find, order.workspace.id
        allowed = order.key_templates
        if allowed:
            # What a template includes belongs to it, whatever the key may use by itself.
            allowed += tuple(included_in(list(stored), workspace_id, find).sources)
        texts: list[Any] = [body.input, body.output]
        if body.input.get("upload_id") is not None:
            texts.append(self._uploaded(workspace_id, body.input["upload_id"]))
        includes = included_in(texts, workspace_id, find, allowed)
        return replace(order, body=replace(body, includes=includes))


def check_data(body: Body, schemas: CheckSchemas) -> None:
    """Refuse data that do not fit the template's schema; those at a `data_url` are not known yet.

    Raises `data_schema_mismatch` or `template_fuel_exhausted`.
    """
    if body.data_url is None:
        schemas.data(body.input.get("schema"), body.data or {})


def _left_out(output: Mapping[str, Any], plan: Plan) -> str | None:
    """Return why a template's e-invoice goes into no file, if there is one."""
    if not draws_pdf(output):
        return "no_pdf"
    return None if "einvoices" in plan.features else "plan"


def _parted(output: dict[str, Any], plan: Plan) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the output, and for the input the default e-invoice that is not embedded."""
    default, left_out = output.get("einvoice"), _left_out(output, plan)
    if default is None or left_out is None:
        return output, {}
    rest = {name: value for name, value in output.items() if name != "einvoice"}
    return rest, {"einvoice": {**default, "left_out": left_out}}


def _source(found: TemplateSource) -> dict[str, Any]:
    schema = found.source.schema
    return _content(found) | ({} if schema is None else {"schema": schema})


def _content(found: TemplateSource) -> dict[str, Any]:
    content = found.source.content
    if found.type == "image_canvas":
        return {"scene": content.get("scene") or {}, "templating": True}
    return {
        "html": content.get("html") or "",
        "head": content.get("head"),
        "css": content.get("css"),
        "templating": True,
    }
