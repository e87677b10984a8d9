"""Trash: a deleted template can be restored for 30 days, then it is purged."""

import datetime as dt
import logging
from copy import replace
from typing import Final

import msgspec

from chalicelib.adapters.aws.table import ConditionFailed, Table
from chalicelib.core.clock import Clock, format_rfc3339, parse_rfc3339
from chalicelib.core.errors import Conflict, NotFound
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.templates.model import Template
from chalicelib.features.templates.replace_draft import check_unlocked
from chalicelib.features.templates.repository import Templates
from chalicelib.features.templates.store_source import UNSETTLED_TIMEOUT

log = logging.getLogger(__name__)

TRASH_RETENTION: Final = dt.timedelta(days=30)
_MAX_TRIES: Final = 10


class TrashTemplate(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Deletes templates into the trash, and restores them."""

    table: Table
    templates: Templates
    clock: Clock

    def delete(self, template: Template) -> Template:
        """Delete a template; raises `template_locked`."""
        for _ in range(_MAX_TRIES):
            check_unlocked(template)
            now = self.clock.now()
            deleted_at = format_rfc3339(now)
            sets = {"status": "deleted", "deleted_at": deleted_at}
            change = self.templates.change(
                template, sets, unchanged=("locked",), due_at=format_rfc3339(now + TRASH_RETENTION)
            )
            try:
                # A transaction: a plain update that arrives after its own retry would delete the
                # template again when it has been restored.
                self.table.transact([change])
            except ConditionFailed:
                template = self.templates.one(template.workspace_id, template.id)
            else:
                log.info("template deleted", extra={"template": template.id})
                return replace(template, status="deleted", deleted_at=deleted_at)
        raise Conflict("conflict", "Others change this template all the time; try again.")

    def restore(self, workspace_id: WorkspaceId, template_id: str) -> Template:
        """Restore a template; raises `conflict` if it is not deleted, `template_not_found`."""
        template = self.templates.find(workspace_id, template_id)
        if template is None or is_trash_expired(template, self.clock.now()):
            raise NotFound("template_not_found", f"There is no template {template_id[:64]}.")
        if template.status != "deleted":
            raise Conflict("conflict", f"The template {template_id} is not deleted.")
        now = self.clock.now()
        updated_at = format_rfc3339(now)
        sets = {"status": "active", "deleted_at": None, "updated_at": updated_at}
        is_due = bool(template.unsettled)
        due_at = format_rfc3339(now + UNSETTLED_TIMEOUT) if is_due else None
        change = self.templates.change(template, sets, due_at=due_at, clear_due=not is_due)
        try:
            # A transaction: a late update would restore the template after its next deletion.
            self.table.transact([change])
        except ConditionFailed:
            # Another request has restored it, or maintenance purges it.
            return self.templates.one(workspace_id, template_id)
        log.info("template restored", extra={"template": template.id})
        return replace(template, status="active", deleted_at=None, updated_at=updated_at)


def is_trash_expired(template: Template, now: dt.datetime) -> bool:
    """Return whether a template's time in the trash is over."""
    return (
        template.deleted_at is not None
        and parse_rfc3339(template.deleted_at) + TRASH_RETENTION <= now
    )
