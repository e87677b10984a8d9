"""Lets tests end a function at a crash point, for one request or for any."""

from chalicelib.adapters.json_logs import present_ids
from chalicelib.core import crash_points


def arm(folder: str) -> None:
    """Arm the crash points of this process where a folder is set."""
    crash_points.arm(folder, lambda: present_ids().get("request_id"))
