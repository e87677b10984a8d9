"""Mail to the owners before a key expires: 14 days and 1 day ahead."""

import datetime as dt
from typing import Final

import msgspec

from chalicelib.adapters.aws.messages import PoisonMessageError
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.features.workspaces.keys.model import KEY_WARNING_DAYS, ApiKey, next_expiry_warning
from chalicelib.features.workspaces.keys.repository import ApiKeys
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.people.notify_owners import NotifyOwners
from chalicelib.features.workspaces.repository import Workspaces

_DAY: Final = dt.timedelta(days=1)


class WarnOfKeyExpiry(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Handler of due keys; idempotent, except that a crash may send a mail twice."""

    keys: ApiKeys
    workspaces: Workspaces
    notify: NotifyOwners
    clock: Clock

    def __call__(self, key_id: str) -> None:
        """Send the warning that is due and schedule the next.

        Raise PoisonMessageError without a key.
        """
        key = self.keys.find(key_id)
        if key is None:
            reason = f"there is no key {key_id}"
            raise PoisonMessageError(reason)
        now = self.clock.now()
        days = _days_to_warn_of(key, now)
        workspace = self.workspaces.get(key.workspace_id) if days else None
        if workspace is not None and days is not None and days != key.warned_days:
            self.notify(workspace, *_warning_mail(workspace, key, days))
            crash_if_armed(CrashPoint.KEY_WARNED)
        self.keys.save_expiry_warning(key, days or key.warned_days, next_expiry_warning(key, now))


def _days_to_warn_of(key: ApiKey, now: dt.datetime) -> int | None:
    """Return the number of days that the warning due now announces, or None."""
    if key.revoked_at is not None or key.expires_at is None or key.expires_at <= now:
        return None
    left = key.expires_at - now
    return next((days for days in reversed(KEY_WARNING_DAYS) if left <= days * _DAY), None)


def _warning_mail(workspace: Workspace, key: ApiKey, days: int) -> tuple[str, str]:
    """Return subject and text; names are left out, since they may contain anything."""
    assert key.expires_at is not None
    when = "tomorrow" if days == 1 else f"in {days} days"
    return (
        f"An API key expires {when}",
        (
            f"The {key.mode} key key_{key.id} of the workspace {workspace.id} expires on "
            f"{format_rfc3339(key.expires_at)}; requests with it are refused from then on.\n\n"
            "Have another key made and use it before that time."
        ),
    )
