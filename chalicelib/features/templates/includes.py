"""What the texts of a render include: live versions of templates of the same workspace."""

from collections.abc import Collection, Iterator
from typing import Any, Protocol

from chalicelib.core.errors import Forbidden, NotFound
from chalicelib.core.ids import WorkspaceId
from chalicelib.engine.templating.includes import Includes, collect_includes, names_in
from chalicelib.features.templates.model import Source
from chalicelib.features.templates.sources import Choice, TemplateSource


class FindSource(Protocol):
    """Templates by id."""

    def __call__(
        self, workspace_id: WorkspaceId, template_id: str, version: Choice
    ) -> TemplateSource:
        """Return a version's source; raises ServiceError where there is none."""
        ...


def included_in(
    texts: Any, workspace_id: WorkspaceId, find: FindSource, allowed: Collection[str] = ()
) -> Includes:
    """Return all that the strings in `texts`, JSON of any shape, include.

    With `allowed` those templates alone may be included: a key's, and what a template that it may
    use includes.
    """

    def html(template_id: str) -> str:
        if allowed and template_id not in allowed:
            detail = f"This key may not use the template {template_id}."
            raise Forbidden("template_not_allowed_for_key", detail)
        found = find(workspace_id, template_id, "live")
        if found.type != "html":
            detail = f"The template {template_id} is a canvas, which has no HTML to include."
            raise NotFound("template_not_found", detail)
        return found.source.content.get("html") or ""

    return collect_includes(_strings(texts), html)


def check_included(source: Source, before: Source, allowed: Collection[str]) -> None:
    """Refuse a source that includes what its key may not use; what was included before may stay.

    Otherwise whoever writes one template could read all others through it.
    """
    further = _named_in(source) - _named_in(before) - {*allowed}
    if further:
        detail = f"This key may not use the template {min(further)}, which the draft would include."
        raise Forbidden("template_not_allowed_for_key", detail)


def _named_in(source: Source) -> set[str]:
    texts = [dict(source.content), dict(source.options)]
    return {name for text in _strings(texts) for name in names_in(text)}


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)
