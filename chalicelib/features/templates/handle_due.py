"""Maintenance of a due template: purge it from the trash, remove leftovers of a crash."""

import datetime as dt
import logging
from contextlib import suppress
from copy import replace
from typing import Final

import msgspec

from chalicelib.adapters.aws.table import ConditionFailed, Table
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

# A batch of ten such messages fits into the function's timeout; the next tick goes on.
_TIME_LIMIT: Final = dt.timedelta(seconds=8)


class HandleDueTemplate(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Handles due templates; idempotent, safe in parallel, without effect if nothing is due.

    `erase` removes objects and rows.
    """

    table: Table
    templates: Templates
    erase: EraseTemplates
    clock: Clock

    def __call__(self, workspace_id: WorkspaceId, template_id: str) -> None:
        """Handle one template; a missing one was purged by another message."""
        template = self.templates.find_in_any_status(workspace_id, template_id)
        bind(workspace=workspace_id)
        if template is None:
            log.info("template not found", extra={"template": template_id})
            return
        now = self.clock.now()
        stale = [name for name, at in template.unsettled.items() if _is_stale(at, now)]
        # Every announced source is stale: the request that created this template has died.
        is_abandoned = template.status == "creating" and len(stale) == len(template.unsettled)
        if template.status == "purging" or is_abandoned or is_trash_expired(template, now):
            self._purge(template)
        elif template.status == "active":
            self._remove_unsettled(template, stale)

    def _purge(self, template: Template) -> None:
        """Purge a template, or as much of it as the time limit allows.

        The status `purging` comes first: nobody can restore or finish the template after it.
        """
        try:
            change = self.templates.change(
                template, {"status": "purging"}, unchanged=("deleted_at",)
            )
            self.table.write(change)
        except ConditionFailed:
            log.info("template was restored or finished", extra={"template": template.id})
            return
        crash_if_armed(CrashPoint.TEMPLATE_PURGING)
        ends_at = self.clock.now() + _TIME_LIMIT
        for _ in self.erase.erase_template(template):
            crash_if_armed(CrashPoint.TEMPLATE_ERASED)
            if self.clock.now() > ends_at:
                self._reschedule(replace(template, status="purging"))
                log.info("template partly purged", extra={"template": template.id})
                return
        log.info("template purged", extra={"template": template.id})

    def _reschedule(self, template: Template) -> None:
        """Make the template due again, unless another message has finished the purge."""
        due_at = format_rfc3339(self.clock.now())
        with suppress(ConditionFailed):
            self.table.write(self.templates.change(template, {}, due_at=due_at))

    def _remove_unsettled(self, template: Template, stale: list[str]) -> None:
        """Remove stale sources that no row names; clear `due_at` when none is left."""
        is_done = len(stale) == len(template.unsettled)
        if not stale and not is_done:
            return
        self.erase.erase_sources(template, stale)
        try:
            # A source that is announced meanwhile changes `unsettled` and keeps the template due.
            self.table.write(
                self.templates.change(
                    template, {}, unchanged=("unsettled",), settled=stale, clear_due=is_done
                )
            )
        except ConditionFailed:
            log.info("template has changed", extra={"template": template.id})


def _is_stale(at: str, now: dt.datetime) -> bool:
    return parse_rfc3339(at) + UNSETTLED_TIMEOUT <= now
