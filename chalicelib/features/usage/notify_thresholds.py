"""Notification of usage thresholds (50, 80, 100 %) and of the end of top-ups, once each.

The limits item has when each was passed, and remembers the notified thresholds. If that is lost,
the event still exists once: its id is derived from workspace, cycle and threshold.
"""

import logging
from collections.abc import Callable
from typing import Final

import msgspec

from chalicelib.adapters.aws.table import Row
from chalicelib.core.clock import Clock, format_rfc3339, parse_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.ids import WorkspaceId, derived_id
from chalicelib.core.json import JsonObject
from chalicelib.features.events.model import DomainEvent, EventType
from chalicelib.features.events.repository import EventOutbox
from chalicelib.features.workspaces.limits import quota
from chalicelib.features.workspaces.limits.model import PassedThreshold, find_passed
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.people.notify_owners import NotifyOwners
from chalicelib.features.workspaces.repository import Workspaces

log = logging.getLogger(__name__)

USAGE_THRESHOLD_REACHED: Final = EventType(
    "usage.threshold_reached",
    describe=lambda event, _row: {"object": "usage_threshold", **event.detail},
    summary="50, 80 or 100 % of the included renders are used, or the top-up limit is reached",
    model="chalicelib.contract.account:UsageThreshold",
    example={
        "object": "usage_threshold",
        "kind": "included_renders",
        "threshold_percent": 80,
        "included": 2_000,
        "used": 1_600,
        "prepaid_remaining": 0,
        "spend_cap_cents": 4_900,
        "cycle": {"start": "2026-01-01T00:00:00.000Z", "end": "2026-02-01T00:00:00.000Z"},
    },
)
TOP_UPS: Final = "top_ups"


class NotifyThresholds(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Writer of threshold events and of the mails to the owners; idempotent.

    `publish` sends an event that was written.
    """

    workspaces: Workspaces
    limits: WorkspaceLimits
    events: EventOutbox
    publish: Callable[[DomainEvent], None]
    notify: NotifyOwners
    clock: Clock

    def __call__(self, workspace_id: WorkspaceId, item: Row) -> None:
        """Notify of the thresholds in a workspace's limits item that are new in this cycle."""
        notified: dict[str, str] = item["notified_thresholds"]
        reached = [f"{percent}" for percent in quota.reached_thresholds(item)]
        if quota.is_used_up(item):
            reached.append(TOP_UPS)
        cycle_end: str = item["cycle_end"]
        new = [threshold for threshold in reached if notified.get(threshold) != cycle_end]
        workspace = self.workspaces.get(workspace_id) if new else None
        if workspace is None:
            return
        if not workspace.spend_cap_cents or quota.can_top_up(workspace, item):
            new = [threshold for threshold in new if threshold != TOP_UPS]
        for threshold in new:
            self._notify_threshold(workspace, item, threshold)
        if new:
            self.limits.save_notified_thresholds(
                workspace_id, item, {**notified, **dict.fromkeys(new, cycle_end)}
            )
            crash_if_armed(CrashPoint.THRESHOLD_SAVED)

    def _notify_threshold(self, workspace: Workspace, item: Row, threshold: str) -> None:
        passed = find_passed(item, threshold) or PassedThreshold(
            format_rfc3339(self.clock.now()), item["used"]
        )
        event = DomainEvent(
            id=derived_id(
                "evt",
                parse_rfc3339(item["cycle_start"]),
                workspace.id,
                item["cycle_start"],
                threshold,
            ),
            type=USAGE_THRESHOLD_REACHED.name,
            workspace_id=workspace.id,
            subject=f"WS#{workspace.id}",
            request_id=f"threshold-{threshold}",
            created_at=passed.at,
            detail=_event_detail(workspace, item, threshold, passed.used),
        )
        if self.events.create(event):
            crash_if_armed(CrashPoint.THRESHOLD_WRITTEN)
            self.publish(event)
            crash_if_armed(CrashPoint.THRESHOLD_EVENT_SENT)
            log.info(
                "threshold event published", extra={"event_id": event.id, "threshold": threshold}
            )
        self.notify(workspace, *_threshold_mail(workspace, item, threshold, passed.used))


def _event_detail(workspace: Workspace, item: Row, threshold: str, used: int) -> JsonObject:
    return {
        "kind": TOP_UPS if threshold == TOP_UPS else "included_renders",
        "threshold_percent": None if threshold == TOP_UPS else int(threshold),
        "included": item["included"],
        "used": used,
        "prepaid_remaining": item["prepaid_left"],
        "spend_cap_cents": workspace.spend_cap_cents,
        "cycle": {"start": item["cycle_start"], "end": item["cycle_end"]},
    }


def _threshold_mail(workspace: Workspace, item: Row, threshold: str, used: int) -> tuple[str, str]:
    """Return the subject and the text of a mail."""
    cycle_end = item["cycle_end"]
    if threshold == TOP_UPS:
        return (
            "Your monthly top-up limit is reached",
            (
                f"The workspace {workspace.id} has used its renders and its monthly top-up limit "
                f"of {workspace.spend_cap_cents} cents allows no further pack before "
                f"{cycle_end}.\n\n"
                "New live renders are refused. Raise the limit, buy a pack or change the plan; "
                "test keys keep working."
            ),
        )
    return (
        f"{threshold} % of your renders are used",
        (
            f"The workspace {workspace.id} has used {used} of the {item['included']} "
            f"renders that its plan {workspace.plan_code} includes until {cycle_end}."
        ),
    )
