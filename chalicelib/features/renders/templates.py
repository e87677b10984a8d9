"""Stored templates as a render needs them: the source of one version, read when it is accepted."""

from dataclasses import dataclass, replace
from typing import Literal, Protocol

from chalicelib.adapters.aws.table import Item, Tables
from chalicelib.core.errors import NotFound, ServiceError
from chalicelib.core.ids import WorkspaceId, is_id
from chalicelib.features.renders.model import Body

type Version = Literal["live", "draft"] | int


@dataclass(frozen=True, slots=True)
class TemplateSource:
    """What a template's document is made from; a draft has no version."""

    version: int | None
    html: str
    head: str | None

    def put_into(self, body: Body) -> Body:
        """Return the body with this source in place of the template's name."""
        source = {"html": self.html, "head": self.head, "templating": True}
        return replace(body, input=body.input | source)


class TemplateSources(Protocol):
    """Templates by id."""

    def find(self, workspace_id: WorkspaceId, template_id: str, version: Version) -> TemplateSource:
        """Return a version's source.

        Raises `template_not_found`, `template_deleted` or `version_not_found`.
        """
        ...


class StoredTemplates:
    """The templates of all workspaces: `META` and beside it `DRAFT` and `VER#<n>`."""

    def __init__(self, tables: Tables, table: str) -> None:
        """Find them in this table."""
        self._tables = tables
        self._table = table

    def find(self, workspace_id: WorkspaceId, template_id: str, version: Version) -> TemplateSource:
        """Return a version's source, as TemplateSources says."""
        partition = f"WS#{workspace_id}#TPL#{template_id}"
        known = is_id("tpl", template_id)
        meta = self._tables.get(self._table, partition) if known else None
        if meta is None:
            raise NotFound("template_not_found", f"There is no template {template_id}.")
        if meta["deleted_at"] is not None:
            raise ServiceError("template_deleted", f"The template {template_id} is deleted.")
        number = meta["live_version"] if version == "live" else version
        if number is None:
            raise NotFound("version_not_found", f"The template {template_id} is not published.")
        row = self._tables.get(self._table, partition, _sort_key(number))
        if row is None:
            detail = f"The template {template_id} has no version {number}."
            raise NotFound("version_not_found", detail)
        return _source(row, number)


def _sort_key(version: Literal["draft"] | int) -> str:
    return "DRAFT" if version == "draft" else f"VER#{version:06d}"


def _source(row: Item, version: Literal["draft"] | int) -> TemplateSource:
    number = None if version == "draft" else version
    return TemplateSource(number, row["html"], row["head"])
