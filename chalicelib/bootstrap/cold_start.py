"""Cold start of every function: its warm-up, and the arming of its crash points."""

from collections.abc import Callable

from chalicelib.adapters.json_logs import current_ids
from chalicelib.core import crash_points
from chalicelib.settings import is_on_lambda


def warm_up_on_lambda(warm_up: Callable[[], None]) -> None:
    """Run `warm_up` now if this process is on Lambda; called last in a handler's module.

    A missing variable, layer or permission then fails the start, not the first request.
    Elsewhere nothing is run at import: tests build their own services, and the local runner calls
    `warm` itself.
    """
    if is_on_lambda():
        warm_up()


def arm_crash_points(folder: str) -> None:
    """Arm the crash points of this process if a folder is set, which only tests do."""
    crash_points.arm(folder, lambda: current_ids().get("request_id"))
