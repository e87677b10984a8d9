"""Read sends: one by id, a page of a workspace's sends, newest first, and its statistics."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.errors import NotFound
from chalicelib.core.ids import SendId, is_id
from chalicelib.core.json import Json
from chalicelib.features.emails.sends.counts.repository import DayCounts
from chalicelib.features.emails.sends.model import STATISTIC_NAMES, EmailSend
from chalicelib.features.emails.sends.reports.repository import ReportPage
from chalicelib.features.emails.sends.repository import ids_of_render
from chalicelib.features.emails.sends.stores import EmailStores
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.read import Viewer
from chalicelib.features.workspaces.model import Workspace

# Bounds the work of one request: a filter with few matches gets a short page and a cursor.
_MAX_ROWS_READ: Final = 500
_PAGE_ROWS: Final = 100
_MAX_OF_RENDER: Final = 100
_STATISTICS: Final = dt.timedelta(days=29)
_LOWEST: Final = "ems_"
_HIGHEST: Final = "ems_~"
_NO_SENDS: Final = DayCounts(0, {})


@dataclass(frozen=True, slots=True)
class SendFilter:
    """Filter of a list; None does not restrict it."""

    render_id: str | None = None
    batch_id: str | None = None
    status: str | None = None
    rule_id: str | None = None

    def index_equalities(self, viewer: Viewer) -> Mapping[str, str | bool]:
        """Return those attributes that the index has, too."""
        equal: dict[str, str | bool] = {
            name: value
            for name in ("batch_id", "status")
            if (value := getattr(self, name)) is not None
        }
        return equal if viewer.mode == "live" else equal | {"test": True}

    def matches(self, send: EmailSend) -> bool:
        """Tell whether a send passes the filter."""
        return all(
            getattr(self, name) in {None, getattr(send, name)}
            for name in ("render_id", "batch_id", "status", "rule_id")
        )

    @property
    def ids(self) -> tuple[str, str]:
        """Return the lowest id of the list, and the bound above its highest one."""
        if self.render_id is None or not is_id("rnd", self.render_id):
            return _LOWEST, _HIGHEST
        return ids_of_render(self.render_id)


@dataclass(frozen=True, slots=True)
class SendPage:
    """Page of sends; the next page has ids below `next_after`."""

    sends: list[EmailSend]
    next_after: str | None


class ReadSends(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Reader of sends; a send that the viewer may not see is not found."""

    stores: EmailStores
    clock: Clock

    def one(self, viewer: Viewer, send_id: str) -> EmailSend:
        """Return a send; raises `not_found`."""
        send = None
        if is_id("ems", send_id):
            send = self.stores.sends.get(viewer.workspace_id, SendId(send_id))
        if send is None or not _is_visible(viewer, send):
            raise NotFound("not_found", f"There is no email send {send_id[:64]}.")
        return send

    def of_render(self, render: Render) -> list[EmailSend]:
        """Return the first sends of a render, in the order of their making."""
        if not render.email_count:
            return []
        return self.stores.sends.of_render(render.workspace_id, render.id, _MAX_OF_RENDER)

    def reports(self, send: EmailSend, *, limit: int, after: str | None) -> ReportPage:
        """Return up to `limit` reports of the provider on a send, behind the one with this id."""
        return self.stores.reports.page(send, limit=limit, after=after)

    def page(
        self, viewer: Viewer, criteria: SendFilter, *, limit: int, after: str | None
    ) -> SendPage:
        """Return up to `limit` sends below the id `after`."""
        equal = criteria.index_equalities(viewer)
        oldest, newest = criteria.ids
        below, rows_read = after or newest, 0
        matches: list[EmailSend] = []
        while True:
            rows = self.stores.sends.newest_page(
                viewer.workspace_id, (oldest, below), equal, _PAGE_ROWS
            )
            ids = [SendId(row["LSK"]) for row in rows.items if row["LSK"] < below]
            # The index is eventually consistent: sends that no longer match are left out.
            matches += [
                send
                for send in self.stores.sends.get_many(viewer.workspace_id, ids)
                if _is_visible(viewer, send) and criteria.matches(send)
            ]
            if len(matches) > limit:
                return SendPage(matches[:limit], matches[limit - 1].id)
            if rows.last_evaluated_key is None:
                return SendPage(matches, None)
            below = rows.last_evaluated_key["LSK"]
            rows_read += rows.scanned_count
            if rows_read >= _MAX_ROWS_READ:
                return SendPage(matches, below)

    def statistics(self, workspace: Workspace) -> dict[str, Json]:
        """Return the statistics object: recipients of today (UTC), and the sends of 30 days."""
        now = self.clock.now()
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        today, first = now.date().isoformat(), (now - _STATISTICS).date().isoformat()
        days = self.stores.counts.days(workspace.id, first, today)
        return {
            "object": "email_stats",
            "today": {
                "recipients": days.get(today, _NO_SENDS).recipients,
                "limit": workspace.plan.email_recipients_per_day,
                "resets_at": format_rfc3339(midnight + dt.timedelta(days=1)),
            },
            "last_30_days": {
                name: sum(day.sends.get(name, 0) for day in days.values())
                for name in STATISTIC_NAMES
            },
        }


def _is_visible(viewer: Viewer, send: EmailSend) -> bool:
    """Tell whether a viewer may see a send: a test key sees those of test renders."""
    return (viewer.mode == "live" or send.test) and viewer.is_template_visible(send.template_id)
