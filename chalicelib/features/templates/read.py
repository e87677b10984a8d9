"""Read templates: one, a page of them, their drafts and versions."""

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import batched
from typing import Final

from chalicelib.adapters.aws.table import BATCH_GET_LIMIT
from chalicelib.core.clock import Clock
from chalicelib.core.errors import NotFound
from chalicelib.core.ids import TemplateId, WorkspaceId, is_id
from chalicelib.features.templates.model import (
    Draft,
    PublishedVersion,
    SourceBundle,
    Template,
    TemplateType,
)
from chalicelib.features.templates.repository import Templates, require_template
from chalicelib.features.templates.source_texts import SourceTexts
from chalicelib.features.templates.trash import is_trash_expired
from chalicelib.features.workspaces.repository import Workspaces

# Rows that one request reads at most: a rare filter gets a short page and a cursor.
_MAX_ROWS_READ: Final = 500
# A draft may be replaced, and its source removed, between the reading of both.
_MAX_TRIES: Final = 5


@dataclass(frozen=True, slots=True)
class TemplateFilter:
    """What a list is narrowed down to; `ids`: all that a key may see, if it may not see all."""

    type: TemplateType | None = None
    deleted: bool = False
    ids: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class TemplatePage:
    """Some templates, newest first; `next_after` is the id that the next page begins below."""

    templates: list[Template]
    next_after: str | None


@dataclass(frozen=True, slots=True)
class _IdPage:
    """Ids that were found in so many rows; `last` is that of the last row, None at the end."""

    ids: Sequence[TemplateId]
    scanned_count: int
    last: str | None


class ReadTemplates:
    """Reads templates."""

    def __init__(self, *, templates: Templates, contents: SourceTexts, clock: Clock) -> None:
        """Read from the stores."""
        self._templates = templates
        self._contents = contents
        self._clock = clock

    def one(self, workspace_id: WorkspaceId, template_id: str) -> Template:
        """Return a template; raises `template_not_found` or `template_deleted`."""
        template = self._templates.find(workspace_id, template_id)
        if template is not None and is_trash_expired(template, self._clock.now()):
            template = None
        return require_template(template, template_id)

    def page(
        self, workspace_id: WorkspaceId, wanted: TemplateFilter, *, limit: int, after: str | None
    ) -> TemplatePage:
        """Return up to `limit` templates below the id `after`."""
        now = self._clock.now()
        found: list[Template] = []
        read = 0
        for some in self._id_pages(workspace_id, wanted, after):
            for template in self._templates.get_many(workspace_id, some.ids):
                if _matches(template, wanted, now):
                    found.append(template)
                if len(found) > limit:
                    return TemplatePage(found[:limit], found[limit - 1].id)
            read += some.scanned_count
            if read >= _MAX_ROWS_READ:
                return TemplatePage(found, some.last)
        return TemplatePage(found, None)

    def draft(self, template: Template) -> tuple[Draft, SourceBundle]:
        """Return a template's draft with what it holds."""
        for last in (*[False] * _MAX_TRIES, True):
            draft = self._templates.draft(template)
            try:
                return draft, self._source(template, draft)
            except LookupError:
                if last:
                    raise
        raise AssertionError

    def version(self, template: Template, number: int) -> tuple[PublishedVersion, SourceBundle]:
        """Return a version with what it holds; raises `version_not_found`."""
        version = self._templates.version(template, number)
        return version, self._source(template, version)

    def version_text(self, template: Template, number: int) -> str:
        """Return the JSON of what a version holds; raises `version_not_found`."""
        version = self._templates.version(template, number)
        return self._contents.text(template.workspace_id, template.id, version.stored)

    def versions(
        self, template: Template, *, limit: int, below: int | None
    ) -> tuple[list[PublishedVersion], int | None]:
        """Return up to `limit` versions below a number, the newest first, and what follows."""
        highest = (template.live_version or 0) if below is None else below - 1
        lowest = max(1, highest - limit + 1)
        numbers = range(highest, lowest - 1, -1)
        found = self._templates.versions(template, numbers)
        return found, lowest if lowest > 1 else None

    def _source(self, template: Template, kept: Draft | PublishedVersion) -> SourceBundle:
        return self._contents.source(template.workspace_id, template.id, kept.stored)

    def _id_pages(
        self, workspace_id: WorkspaceId, wanted: TemplateFilter, after: str | None
    ) -> Iterator[_IdPage]:
        below = after or "tpl_~"
        if wanted.ids:
            known = {TemplateId(each) for each in wanted.ids if is_id("tpl", each)}
            seen = sorted((each for each in known if each < below), reverse=True)
            for some in batched(seen, BATCH_GET_LIMIT, strict=False):
                yield _IdPage(some, len(some), some[-1])
            return
        status = "deleted" if wanted.deleted else "active"
        while True:
            page = self._templates.newest_page(workspace_id, below, status)
            ids = [TemplateId(row["LSK"]) for row in page.items]
            if page.last_evaluated_key is None:
                yield _IdPage(ids, page.scanned_count, None)
                return
            below = page.last_evaluated_key["LSK"]
            yield _IdPage(ids, page.scanned_count, below)


def _matches(template: Template, wanted: TemplateFilter, now: dt.datetime) -> bool:
    return (
        (template.status == "deleted") == wanted.deleted
        and wanted.type in {None, template.type}
        and not is_trash_expired(template, now)
    )


class FindTemplate:
    """Finds templates of all workspaces, in the trash or not."""

    def __init__(self, *, workspaces: Workspaces, templates: Templates) -> None:
        """Look there."""
        self._workspaces = workspaces
        self._templates = templates

    def __call__(self, template_id: str, workspace_id: WorkspaceId | None) -> Template:
        """Return a template, of one workspace where it is named; raises `template_not_found`."""
        ids = [workspace_id] if workspace_id else [row.id for row in self._workspaces.all()]
        for some in batched(ids, BATCH_GET_LIMIT, strict=False):
            found = self._templates.find_in_workspaces(some, template_id)
            if found is not None:
                return found
        where = "that workspace" if workspace_id else "any workspace"
        detail = f"There is no template {template_id[:64]} in {where}."
        raise NotFound("template_not_found", detail)
