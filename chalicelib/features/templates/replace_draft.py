"""Replacement of a whole draft, fenced by its revision."""

from collections.abc import Callable, Sequence
from copy import replace
from dataclasses import dataclass
from typing import Final

import msgspec

from chalicelib.adapters.aws.table import ConditionFailed, Table
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import Conflict, ServiceError
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.templates.model import Draft, SourceBundle, StoredText, Template
from chalicelib.features.templates.publish import check_revision
from chalicelib.features.templates.repository import Templates
from chalicelib.features.templates.store_source import StoreSource

_MAX_TRIES: Final = 60

# Raises `validation_error` for a source that a draft may not have.
type SourceCheck = Callable[[WorkspaceId, SourceBundle], None]


@dataclass(frozen=True, slots=True)
class SavedDraft:
    """A template and its draft after the write."""

    template: Template
    draft: Draft


class ReplaceDraft(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Replaces drafts. With a revision no change is lost; without one the last write wins."""

    table: Table
    templates: Templates
    store: StoreSource
    checks: Sequence[SourceCheck]
    clock: Clock

    def __call__(
        self, template: Template, source: SourceBundle, *, revision: int | None
    ) -> SavedDraft:
        """Replace the draft; raises `template_locked` or `draft_revision_conflict`.

        A source that no row will name is removed from the bucket again.
        """
        _check_writable(template, revision)
        for check in self.checks:
            check(template.workspace_id, source)
        stored = self.store.store(template, source)
        for _ in range(_MAX_TRIES):
            try:
                saved = self._try_replace(template, stored)
                if saved is not None:
                    return saved
                template = self.templates.one(template.workspace_id, template.id)
                _check_writable(template, revision)
            except ServiceError:
                self.store.discard(template, _object_names(stored))
                raise
        self.store.discard(template, _object_names(stored))
        raise Conflict("conflict", "Others replace this draft all the time; try again.")

    def _try_replace(self, template: Template, stored: StoredText) -> SavedDraft | None:
        before = self.templates.draft(template)
        now = format_rfc3339(self.clock.now())
        draft = Draft(template.draft_revision + 1, stored, now)
        # A version shares the object of the draft that was published as it (decision 20).
        is_shared = template.published_revision == before.revision
        obsolete = [] if is_shared else _object_names(before.stored)
        change = self.templates.change(
            template,
            {"draft_revision": draft.revision, "updated_at": now},
            unchanged=("draft_revision", "published_revision", "locked"),
            settled=_object_names(stored),
            unsettled=dict.fromkeys(obsolete, now),
            due_at=self.store.cleanup_due_at() if obsolete else None,
        )
        try:
            self.table.transact([change, self.templates.draft_write(template, draft)])
        except ConditionFailed:
            return None
        crash_if_armed(CrashPoint.TEMPLATE_WRITTEN)
        changed = replace(template, draft_revision=draft.revision, updated_at=now)
        self.store.discard(changed, obsolete)
        return SavedDraft(changed, draft)


def _check_writable(template: Template, revision: int | None) -> None:
    check_unlocked(template)
    check_revision(template, revision)


def check_unlocked(template: Template) -> None:
    """Raise `template_locked` for a locked template."""
    if template.locked:
        raise ServiceError(
            "template_locked",
            f"The template {template.id} is locked: its draft stays as it is and it cannot be "
            f"deleted. POST /v1/templates/{template.id}/unlock ends that.",
        )


def _object_names(stored: StoredText) -> list[str]:
    return [] if stored.object_name is None else [stored.object_name]
