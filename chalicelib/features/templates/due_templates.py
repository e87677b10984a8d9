"""Look after a due template: purge it from the trash, remove what a crash left of it."""

import datetime as dt
import logging
from contextlib import suppress
from copy import replace
from typing import Final

from chalicelib.adapters.aws.table import ConditionFailed, Tables
from chalicelib.adapters.json_logs import bind
from chalicelib.core.clock import Clock, format_rfc3339, parse_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.templates.erase import EraseTemplates
from chalicelib.features.templates.model import Template
from chalicelib.features.templates.repository import Templates
from chalicelib.features.templates.store_source import UNSETTLED_TIMEOUT
from chalicelib.features.templates.trash import is_trash_expired

log = logging.getLogger(__name__)

# A batch of ten such messages ends within the function's time; the next tick goes on.
_TIME_LIMIT: Final = dt.timedelta(seconds=8)


class HandleDueTemplate:
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
        template = self._templates.find_in_any_status(workspace_id, template_id)
        bind(workspace=workspace_id)
        if template is None:
            log.info("template not found", extra={"template": template_id})
            return
        now = self._clock.now()
        left = [name for name, at in template.unsettled.items() if _is_stale(at, now)]
        given_up = template.status == "creating" and len(left) == len(template.unsettled)
        if template.status == "purging" or given_up or is_trash_expired(template, now):
            self._purge(template)
        elif template.status == "active":
            self._remove_unsettled(template, left)

    def _purge(self, template: Template) -> None:
        """Take a template away, or as much of it as there is time for.

        First so that nobody can restore or finish it any more.
        """
        try:
            change = self._templates.change(
                template, {"status": "purging"}, unchanged=("deleted_at",)
            )
            self._tables.write(change)
        except ConditionFailed:
            log.info("the template was restored, or finished", extra={"template": template.id})
            return
        crash_if_armed(CrashPoint.TEMPLATE_PURGING)
        ends = self._clock.now() + _TIME_LIMIT
        for _ in self._erase.erase_template(template):
            crash_if_armed(CrashPoint.TEMPLATE_ERASED)
            if self._clock.now() > ends:
                self._reschedule(replace(template, status="purging"))
                log.info("template purged in part", extra={"template": template.id})
                return
        log.info("template purged", extra={"template": template.id})

    def _reschedule(self, template: Template) -> None:
        """Let the template be due again; refused where somebody else has come to its end."""
        due_at = format_rfc3339(self._clock.now())
        with suppress(ConditionFailed):
            self._tables.write(self._templates.change(template, {}, due_at=due_at))

    def _remove_unsettled(self, template: Template, left: list[str]) -> None:
        """Remove sources that no row names; it is due no more when none is under way."""
        done = len(left) == len(template.unsettled)
        if not left and not done:
            return
        self._erase.erase_sources(template, left)
        try:
            # What was announced meanwhile keeps it due.
            self._tables.write(
                self._templates.change(
                    template, {}, unchanged=("unsettled",), settled=left, clear_due=done
                )
            )
        except ConditionFailed:
            log.info("the template has changed", extra={"template": template.id})


def _is_stale(at: str, now: dt.datetime) -> bool:
    return parse_rfc3339(at) + UNSETTLED_TIMEOUT <= now
