"""Arming of a function's crash points."""

from chalicelib.adapters.json_logs import current_ids
from chalicelib.core import crash_points


def arm_crash_points(folder: str) -> None:
    """Arm the crash points of this process if a folder is set, which only tests do."""
    crash_points.arm(folder, lambda: current_ids().get("request_id"))
