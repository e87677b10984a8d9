"""From a call to the template that it names and the source that it carries."""

from typing import TYPE_CHECKING, Any, Final

from chalicelib.adapters.json_logs import about
from chalicelib.api._endpoint import Call
from chalicelib.api._shown import check_shown
from chalicelib.core.errors import Forbidden, invalid
from chalicelib.features.templates.model import CONTENT, Kind, Source, Template

if TYPE_CHECKING:
    from chalicelib.contract.templates import TemplateContent, TemplateSourceFields

# What every route that names a template may answer.
FINDING: Final = ("template_not_allowed_for_key", "template_not_found", "template_deleted")
# What the rendering of a dataset can end with.
REHEARSAL: Final = (
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
_REHEARSED_WITHIN_S: Final = 25.0


def template_id_of(call: Call) -> str:
    """Return the id that a route names, once the key's allowlist has it.

    It is compared before anybody looks whether there is such a template.
    """
    allowed, template_id = call.caller.key.templates, call.params["id"]
    if allowed and template_id not in allowed:
        raise Forbidden(
            "template_not_allowed_for_key",
            "This key may use the templates of its allowlist only, and this is none of them.",
        )
    return template_id


def template_of(call: Call) -> Template:
    """Return the template that a route names; raises `template_…`."""
    template = call.services.read_templates.one(call.caller.workspace_id, template_id_of(call))
    about(template=template.id)
    return template


def rehearsal_deadline(call: Call) -> float:
    """Return by when all datasets must have come out well (Unix seconds)."""
    return call.started + _REHEARSED_WITHIN_S


def may_create(call: Call) -> None:
    """Refuse a key that could not use what it makes."""
    if call.caller.key.templates:
        raise Forbidden(
            "template_not_allowed_for_key",
            "This key may use the templates of its allowlist only, and can make no other.",
        )


def source_of(asked: "TemplateSourceFields", kind: Kind) -> Source:
    """Return what a request holds.

    Raises `validation_error` for a member of the other type, `scene_invalid`, and
    `payload_too_large` for what no answer could show.
    """
    whole = asked.content
    place = "" if whole is None else "/content"
    content = _content(asked if whole is None else whole, kind, place)
    if content.get("scene") is not None:
        _check_scene(content["scene"], f"{place}/scene")
    options = asked.options
    said = {} if options is None else options.model_dump(mode="json", exclude_unset=True)
    source = Source(content, _without_null(said), asked.schema_)
    check_shown("The draft", source.to_json())
    return source


def _content(asked: "TemplateContent", kind: Kind, place: str) -> dict[str, object]:
    content: dict[str, object] = {}
    for members_of, names in CONTENT.items():
        for name in names:
            if getattr(asked, name) is None:
                continue
            if members_of != kind:
                message = f"is of templates of type {members_of}; this one is of type {kind}"
                raise invalid(f"{place}/{name}", message, "not_allowed")
            value = asked.model_dump(mode="json", include={name}, exclude_unset=True)[name]
            content[name] = value
    return content


def _check_scene(scene: Any, pointer: str) -> None:
    from chalicelib.contract.scene import check_scene  # noqa: PLC0415 -- pydantic

    check_scene(scene, pointer)


def _without_null(value: dict[str, object]) -> dict[str, object]:
    """Return an object without the members that say nothing."""
    return {
        name: _without_null(member) if isinstance(member, dict) else member
        for name, member in value.items()
        if member is not None
    }
