"""Template and template source that a request names or carries."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from chalicelib.adapters.json_logs import bind
from chalicelib.api._restricted_key import check_template
from chalicelib.api.edge.endpoint import Call
from chalicelib.core import json
from chalicelib.core.errors import Conflict, ServiceError, validation_error
from chalicelib.core.json import Json
from chalicelib.features.templates.model import CONTENT_FIELDS, SourceBundle, Template, TemplateType
from chalicelib.features.templates.publish import check_revision

if TYPE_CHECKING:
    from chalicelib.contract.template.template import TemplateContent, TemplateSourceFields

# Problems of every endpoint whose path names a template.
LOOKUP_PROBLEMS: Final = ("template_not_allowed_for_key", "template_not_found", "template_deleted")
# Problems that the dry run of a dataset can end with.
DRY_RUN_PROBLEMS: Final = (
    "region_not_enabled",
    "concurrency_limited",
    "region_degraded",
    "maintenance",
    "template_syntax_error",
    "template_runtime_error",
    "template_fuel_exhausted",
    "data_schema_mismatch",
    "render_timeout",
    "render_failed",
    "page_limit_exceeded",
    "wait_timeout",
    "asset_fetch_failed",
    "attachment_failed",
    "url_not_allowed",
    "output_too_large",
    "upload_not_found",
    "scene_invalid",
    "data_invalid",
)

# All datasets of a template are rendered within this time, on every plan.
_DRY_RUN_BUDGET_S: Final = 25.0
# A Lambda response has 6 MB, with the body as JSON text in it; the rest is for the envelope.
_MAX_RESPONSE_BYTES: Final = 6_000_000


def allowed_template_id(call: Call) -> str:
    """Return the template id of the path; raises `template_not_allowed_for_key`."""
    template_id = call.params["id"]
    check_template(call, template_id)
    return template_id


def requested_template(call: Call) -> Template:
    """Return the template of the path; raises the codes of LOOKUP_PROBLEMS."""
    template = call.services.templates.read.one(call.caller.workspace_id, allowed_template_id(call))
    bind(template=template.id)
    return template


def dry_run_deadline(call: Call) -> float:
    """Return the Unix second by which all datasets must be rendered."""
    return call.started_at + _DRY_RUN_BUDGET_S


def requested_source(fields: "TemplateSourceFields", kind: TemplateType) -> SourceBundle:
    """Return the template source of a request.

    Raises `validation_error` for a field of the other template type, `scene_invalid`, and
    `payload_too_large` for a source that would not fit into a response.
    """
    whole = fields.content
    pointer = "" if whole is None else "/content"
    content = _content(fields if whole is None else whole, kind, pointer)
    if content.get("scene") is not None:
        _check_scene(content["scene"], f"{pointer}/scene")
    options = fields.options
    explicit = {} if options is None else options.model_dump(mode="json", exclude_unset=True)
    source = SourceBundle(content, _without_nulls(explicit), fields.schema_)
    check_response_size("The draft", source.to_json())
    return source


def check_response_size(subject: str, value: Mapping[str, Any]) -> None:
    """Refuse a value that would not fit into a response; raises `payload_too_large`.

    A value grows on its way: quotes are escaped twice, and numbers are written in full.
    """
    size = len(json.dumps(json.dumps(value)).encode())
    if size > _MAX_RESPONSE_BYTES:
        raise ServiceError(
            "payload_too_large",
            f"{subject} takes {size} bytes of an answer, with quotes escaped and numbers written "
            f"in full; an answer has room for {_MAX_RESPONSE_BYTES}. Make it smaller.",
        )


def _content(fields: "TemplateContent", kind: TemplateType, pointer: str) -> dict[str, Json]:
    content: dict[str, Json] = {}
    for members_of, names in CONTENT_FIELDS.items():
        for name in names:
            if getattr(fields, name) is None:
                continue
            if members_of != kind:
                message = f"is of templates of type {members_of}; this one is of type {kind}"
                raise validation_error(f"{pointer}/{name}", message, "not_allowed")
            value = fields.model_dump(mode="json", include={name}, exclude_unset=True)[name]
            content[name] = value
    return content


def _check_scene(scene: Any, pointer: str) -> None:
    from chalicelib.contract.template.scene import check_scene  # noqa: PLC0415 -- pydantic

    check_scene(scene, pointer)


def _without_nulls(value: dict[str, Json]) -> dict[str, Json]:
    """Return an object without its null members, at all levels."""
    return {
        name: _without_nulls(member) if isinstance(member, dict) else member
        for name, member in value.items()
        if member is not None
    }


def requested_revision(call: Call, template: Template) -> int | None:
    """Return the revision that the draft must have, None for any, of `If-Match` and body.

    Raises `draft_revision_conflict` if it has another one.
    """
    revision: int | None = call.body.revision
    check_revision(template, revision)
    text = call.headers.get("if-match", "*").strip()
    if text == "*":
        return revision
    # A weak tag matches nothing here (RFC 9110, 13.1.1); a revision without quotes is tolerated.
    tags = {draft_etag(template.draft_revision), str(template.draft_revision)}
    if tags.isdisjoint(tag.strip() for tag in text.split(",")):
        raise Conflict(
            "draft_revision_conflict",
            f"If-Match is not the ETag of the draft, which has revision {template.draft_revision}. "
            "Read it again, and repeat the request with the ETag that it has now.",
        )
    return template.draft_revision


def draft_etag(revision: int) -> str:
    """Return the entity tag of a revision of a draft."""
    return f'"{revision}"'
