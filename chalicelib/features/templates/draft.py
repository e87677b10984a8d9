"""Replace a draft: the whole of it, fenced by its revision."""

from collections.abc import Callable, Sequence
from copy import replace
from dataclasses import dataclass
from typing import Any, Final

from chalicelib.adapters.aws.table import ConditionFailed, Tables
from chalicelib.core.clock import Clock, rfc3339
from chalicelib.core.crash_points import CrashPoint, here
from chalicelib.core.errors import Conflict, ServiceError
from chalicelib.features.templates.keeping import KeepSource
from chalicelib.features.templates.model import Draft, Source, Stored, Template
from chalicelib.features.templates.publish import check_revision
from chalicelib.features.templates.repository import Templates

_ROUNDS: Final = 60

# Raises `validation_error` for a source that no draft may hold.
type CheckSource = Callable[[Source], None]


@dataclass(frozen=True, slots=True)
class Drafted:
    """A template and its draft as it was written."""

    template: Template
    draft: Draft


class ReplaceDraft:
    """Replaces drafts; without a revision the last one stays, and none is lost unseen with it."""

    def __init__(
        self,
        *,
        tables: Tables,
        templates: Templates,
        keep: KeepSource,
        checks: Sequence[CheckSource],
        clock: Clock,
    ) -> None:
        """Build from the stores."""
        self._checks = checks
        self._tables = tables
        self._templates = templates
        self._keep = keep
        self._clock = clock

    def __call__(self, template: Template, source: Source, *, revision: int | None) -> Drafted:
        """Replace the draft; raises `template_locked` or `draft_revision_conflict`."""
        _check(template, revision)
        for check in self._checks:
            check(source)
        stored = self._keep.of(template, source)
        for _ in range(_ROUNDS):
            try:
                made = self._try(template, stored)
                if made is not None:
                    return made
                template = self._templates.one(template.workspace_id, template.id)
                _check(template, revision)
            except ServiceError:
                self._keep.give_up(template, _names(stored))
                raise
        self._keep.give_up(template, _names(stored))
        raise Conflict("conflict", "Others replace this draft all the time; try again.")

    def _try(self, template: Template, stored: Stored) -> Drafted | None:
        before = self._templates.draft(template)
        now = rfc3339(self._clock.now())
        draft = Draft(template.draft_revision + 1, stored, now)
        # A version has the source of the draft that it was published from.
        shared = template.published_revision == before.revision
        over = [] if shared else _names(before.stored)
        sets: dict[str, Any] = {"draft_revision": draft.revision, "updated_at": now}
        change = self._templates.change(
            template,
            sets,
            still=("draft_revision", "published_revision", "locked"),
            settled=_names(stored),
            unsettled=dict.fromkeys(over, now),
            due_at=self._keep.due_at() if over else None,
        )
        try:
            self._tables.transact([change, self._templates.drafting(template, draft)])
        except ConditionFailed:
            return None
        here(CrashPoint.TEMPLATE_WRITTEN)
        changed = replace(template, **sets)
        self._keep.give_up(changed, over)
        return Drafted(changed, draft)


def _check(template: Template, revision: int | None) -> None:
    check_unlocked(template)
    check_revision(template, revision)


def check_unlocked(template: Template) -> None:
    """Refuse what a locked template does not let be done."""
    if template.locked:
        raise ServiceError(
            "template_locked",
            f"The template {template.id} is locked: its draft stays as it is and it cannot be "
            f"deleted. POST /v1/templates/{template.id}/unlock ends that.",
        )


def _names(stored: Stored) -> list[str]:
    return [] if stored.object_name is None else [stored.object_name]
