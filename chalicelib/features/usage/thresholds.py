"""Tell when 50, 80 and 100 % of a cycle's renders are used, and when top-ups end: each once.

The limits item remembers what was told; should that be lost, the fact's id is derived from
workspace, cycle and threshold, so that it exists once all the same.
"""

import logging
from collections.abc import Callable
from typing import Any, Final

from chalicelib.adapters.aws.table import Item
from chalicelib.core.clock import Clock, parse_rfc3339, rfc3339
from chalicelib.core.crash_points import CrashPoint, here
from chalicelib.core.ids import WorkspaceId, derived
from chalicelib.features.facts.model import Fact
from chalicelib.features.facts.repository import Facts
from chalicelib.features.workspaces import quota, thresholds
from chalicelib.features.workspaces.limits_repository import Limits
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.notify import NotifyOwners
from chalicelib.features.workspaces.repository import Workspaces

log = logging.getLogger(__name__)

FACT_TYPE: Final = "usage.threshold_reached"
TOP_UPS: Final = "top_ups"


class TellThresholds:
    """Writes the facts of what a limits item shows, and mails the owners; repeatable."""

    def __init__(
        self,
        *,
        workspaces: Workspaces,
        limits: Limits,
        facts: Facts,
        tell: Callable[[Fact], None],
        notify: NotifyOwners,
        clock: Clock,
    ) -> None:
        """Build from the repositories; `tell` sends a fact that was written."""
        self._workspaces = workspaces
        self._limits = limits
        self._facts = facts
        self._tell = tell
        self._notify = notify
        self._clock = clock

    def __call__(self, workspace_id: WorkspaceId, item: Item) -> None:
        """Tell what the limits item of a workspace shows and nobody has told."""
        told: dict[str, str] = item.get("told", {})
        marks = [f"{percent}" for percent in thresholds.reached(item)]
        if thresholds.nothing_left(item):
            marks.append(TOP_UPS)
        cycle_end: str = item["cycle_end"]
        new = [mark for mark in marks if told.get(mark) != cycle_end]
        workspace = self._workspaces.get(workspace_id) if new else None
        if workspace is None:
            return
        if not workspace.spend_cap_cents or quota.may_top_up(workspace, item):
            new = [mark for mark in new if mark != TOP_UPS]
        for mark in new:
            self._one(workspace, item, mark)
        if new:
            self._limits.told(workspace_id, {**told, **dict.fromkeys(new, cycle_end)})

    def _one(self, workspace: Workspace, item: Item, mark: str) -> None:
        detail = _detail(workspace, item, mark)
        fact = Fact(
            id=derived(
                "evt", parse_rfc3339(item["cycle_start"]), workspace.id, item["cycle_start"], mark
            ),
            type=FACT_TYPE,
            workspace_id=workspace.id,
            subject=f"WS#{workspace.id}",
            request_id=f"threshold-{mark}",
            created_at=rfc3339(self._clock.now()),
            detail=detail,
        )
        if self._facts.create(fact):
            here(CrashPoint.THRESHOLD_WRITTEN)
            self._tell(fact)
            here(CrashPoint.THRESHOLD_TOLD)
            log.info("threshold told", extra={"fact": fact.id, "threshold": mark})
        self._notify(workspace, *_mail(workspace, detail))


def _detail(workspace: Workspace, item: Item, mark: str) -> dict[str, Any]:
    return {
        "kind": TOP_UPS if mark == TOP_UPS else "included_renders",
        "threshold_percent": None if mark == TOP_UPS else int(mark),
        "included": thresholds.included(item),
        "used": item["used"],
        "prepaid_remaining": quota.prepaid_left(item),
        "spend_cap_cents": workspace.spend_cap_cents,
        "cycle": {"start": item["cycle_start"], "end": item["cycle_end"]},
    }


def _mail(workspace: Workspace, detail: dict[str, Any]) -> tuple[str, str]:
    """Return subject and text."""
    cycle_end = detail["cycle"]["end"]
    if detail["kind"] == TOP_UPS:
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
        f"{detail['threshold_percent']} % of your renders are used",
        (
            f"The workspace {workspace.id} has used {detail['used']} of the {detail['included']} "
            f"renders that its plan {workspace.plan_code} includes until {cycle_end}."
        ),
    )
