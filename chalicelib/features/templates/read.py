"""Reads of templates: one, a page, drafts and versions."""

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import batched
from typing import Final

import msgspec

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

# Rows read per request: a filter with few matches gets a short page and a cursor.
_MAX_ROWS_READ: Final = 500
# A draft may be replaced, and its source removed, between the two reads.
_MAX_TRIES: Final = 5


@dataclass(frozen=True, slots=True)
class TemplateFilter:
    """Filter of a list; `text` is part of a name or begins an id, in upper or lower case.

    `ids` are the templates that a restricted key may see, empty means all.
    """

    type: TemplateType | None = None
    text: str = ""
    deleted: bool = False
    ids: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class TemplatePage:
    """Page of templates, newest first; the next page begins below the id `next_after`."""

    templates: list[Template]
    next_after: str | None


@dataclass(frozen=True, slots=True)
class _IdPage:
    """Ids found in `scanned_count` rows; `last` is the id of the last row, None at the end."""

    ids: Sequence[TemplateId]
    scanned_count: int
    last: str | None


class ReadTemplates(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Reads the templates of a workspace; an expired one in the trash is not found."""

    templates: Templates
    contents: SourceTexts
    clock: Clock

    def one(self, workspace_id: WorkspaceId, template_id: str) -> Template:
        """Return a template; raises `template_not_found` or `template_deleted`."""
        template = self.templates.find(workspace_id, template_id)
        if template is not None and is_trash_expired(template, self.clock.now()):
            template = None
        return require_template(template, template_id)

    def page(
        self,
        workspace_id: WorkspaceId,
        template_filter: TemplateFilter,
        *,
        limit: int,
        after: str | None,
    ) -> TemplatePage:
        """Return up to `limit` templates below the id `after`."""
        now = self.clock.now()
        templates: list[Template] = []
        rows_read = 0
        for id_page in self._id_pages(workspace_id, template_filter, after):
            for template in self.templates.get_many(workspace_id, id_page.ids):
                if _matches(template, template_filter, now):
                    templates.append(template)
                if len(templates) > limit:
                    return TemplatePage(templates[:limit], templates[limit - 1].id)
            rows_read += id_page.scanned_count
            if rows_read >= _MAX_ROWS_READ:
                return TemplatePage(templates, id_page.last)
        return TemplatePage(templates, None)

    def draft(self, template: Template) -> tuple[Draft, SourceBundle]:
        """Return a template's draft with its source."""
        for is_last_try in (*[False] * _MAX_TRIES, True):
            draft = self.templates.draft(template)
            try:
                return draft, self._source(template, draft)
            except LookupError:
                if is_last_try:
                    raise
        raise AssertionError

    def version(self, template: Template, number: int) -> tuple[PublishedVersion, SourceBundle]:
        """Return a version with its source; raises `version_not_found`."""
        version = self.templates.version(template, number)
        return version, self._source(template, version)

    def current(self, template: Template) -> tuple[int | None, SourceBundle]:
        """Return the live version's number and source; without one, None and the draft's."""
        if template.live_version is None:
            return None, self.draft(template)[1]
        return template.live_version, self.version(template, template.live_version)[1]

    def version_text(self, template: Template, number: int) -> str:
        """Return the JSON of a version's source; raises `version_not_found`."""
        version = self.templates.version(template, number)
        return self.contents.text(template.workspace_id, template.id, version.stored)

    def versions(
        self, template: Template, *, limit: int, below: int | None
    ) -> tuple[list[PublishedVersion], int | None]:
        """Return a page of versions below a number, newest first, and the next page's `below`."""
        highest = (template.live_version or 0) if below is None else below - 1
        lowest = max(1, highest - limit + 1)
        numbers = range(highest, lowest - 1, -1)
        # Numbers have no gaps (decision 20), so a page is a batch read without an index.
        versions = self.templates.versions(template, numbers)
        return versions, lowest if lowest > 1 else None

    def _source(self, template: Template, owner: Draft | PublishedVersion) -> SourceBundle:
        return self.contents.source(template.workspace_id, template.id, owner.stored)

    def _id_pages(
        self, workspace_id: WorkspaceId, template_filter: TemplateFilter, after: str | None
    ) -> Iterator[_IdPage]:
        below = after or "tpl_~"
        if template_filter.ids:
            known = {TemplateId(each) for each in template_filter.ids if is_id("tpl", each)}
            visible = sorted((each for each in known if each < below), reverse=True)
            for some in batched(visible, BATCH_GET_LIMIT, strict=False):
                yield _IdPage(some, len(some), some[-1])
            return
        status = "deleted" if template_filter.deleted else "active"
        while True:
            page = self.templates.newest_page(workspace_id, below, status)
            ids = [TemplateId(row["LSK"]) for row in page.items]
            if page.last_evaluated_key is None:
                yield _IdPage(ids, page.scanned_count, None)
                return
            below = page.last_evaluated_key["LSK"]
            yield _IdPage(ids, page.scanned_count, below)


def _matches(template: Template, template_filter: TemplateFilter, now: dt.datetime) -> bool:
    return (
        (template.status == "deleted") == template_filter.deleted
        and template_filter.type in {None, template.type}
        and _has_text(template, template_filter.text.casefold())
        and not is_trash_expired(template, now)
    )


def _has_text(template: Template, text: str) -> bool:
    is_id_begun = text.startswith("tpl_") and template.id.casefold().startswith(text)
    return is_id_begun or text in template.name.casefold()


class FindTemplate(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Finds templates across workspaces, in the trash or not; for operators."""

    workspaces: Workspaces
    templates: Templates

    def __call__(self, template_id: str, workspace_id: WorkspaceId | None) -> Template:
        """Return a template, of `workspace_id` if given; raises `template_not_found`."""
        ids = [workspace_id] if workspace_id else [row.id for row in self.workspaces.all()]
        for some in batched(ids, BATCH_GET_LIMIT, strict=False):
            found = self.templates.find_in_workspaces(some, template_id)
            if found is not None:
                return found
        where = "that workspace" if workspace_id else "any workspace"
        detail = f"There is no template {template_id[:64]} in {where}."
        raise NotFound("template_not_found", detail)
