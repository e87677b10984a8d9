"""Look after a due template: purge it from the trash, remove what a crash left of it."""

import datetime as dt
import logging
from contextlib import suppress
from copy import replace
from typing import Final

from chalicelib.adapters.aws.table import ConditionFailed, Tables
from chalicelib.adapters.json_logs import about
from chalicelib.core.clock import Clock, parse_rfc3339, rfc3339
from chalicelib.core.crash_points import CrashPoint, here
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.templates.erase import EraseTemplates
from chalicelib.features.templates.keeping import SETTLED_WITHIN
from chalicelib.features.templates.model import Template
from chalicelib.features.templates.repository import Templates
from chalicelib.features.templates.trash import is_over

log = logging.getLogger(__name__)

# A batch of ten such messages ends within the function's time; the next tick goes on.
_WORKS_FOR: Final = dt.timedelta(seconds=8)


class UpkeepTemplate:
    """Repeatable, also side by side; harmless for a template of which nothing is due."""

    def __init__(
        self, *, tables: Tables, templates: Templates, erase: EraseTemplates, clock: Clock
    ) -> None:
        """Build from the stores."""
        self._tables = tables
        self._templates = templates
        self._erase = erase
        self._clock = clock

    def __call__(self, workspace_id: WorkspaceId, template_id: str) -> None:
        """Look after one template; one that is gone was purged by another message."""
        template = self._templates.row(workspace_id, template_id)
        about(workspace=workspace_id)
        if template is None:
            log.info("no template is there", extra={"template": template_id})
            return
        now = self._clock.now()
        left = [name for name, at in template.unsettled.items() if _is_old(at, now)]
        given_up = template.status == "creating" and len(left) == len(template.unsettled)
        if template.status == "purging" or given_up or is_over(template, now):
            self._purge(template)
        elif template.status == "active":
            self._settle(template, left)

    def _purge(self, template: Template) -> None:
        """Take a template away, or as much of it as there is time for.

        First so that nobody can restore or finish it any more.
        """
        try:
            change = self._templates.change(template, {"status": "purging"}, still=("deleted_at",))
            self._tables.write(change)
        except ConditionFailed:
            log.info("the template was restored, or finished", extra={"template": template.id})
            return
        here(CrashPoint.TEMPLATE_PURGING)
        ends = self._clock.now() + _WORKS_FOR
        for _ in self._erase.one(template):
            here(CrashPoint.TEMPLATE_ERASED)
            if self._clock.now() > ends:
                self._go_on(replace(template, status="purging"))
                log.info("template purged in part", extra={"template": template.id})
                return
        log.info("template purged", extra={"template": template.id})

    def _go_on(self, template: Template) -> None:
        """Let the template be due again; refused where somebody else has come to its end."""
        due_at = rfc3339(self._clock.now())
        with suppress(ConditionFailed):
            self._tables.write(self._templates.change(template, {}, due_at=due_at))

    def _settle(self, template: Template, left: list[str]) -> None:
        """Remove sources that no row names; it is due no more when none is under way."""
        done = len(left) == len(template.unsettled)
        if not left and not done:
            return
        self._erase.sources(template, left)
        try:
            # What was announced meanwhile keeps it due.
            self._tables.write(
                self._templates.change(
                    template, {}, still=("unsettled",), settled=left, not_due=done
                )
            )
        except ConditionFailed:
            log.info("the template has changed", extra={"template": template.id})


def _is_old(at: str, now: dt.datetime) -> bool:
    return parse_rfc3339(at) + SETTLED_WITHIN <= now
