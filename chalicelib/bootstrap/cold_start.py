"""Warm-up of a function at its cold start."""

from collections.abc import Callable

from chalicelib.settings import is_on_lambda


def warm_up_on_lambda(warm_up: Callable[[], None]) -> None:
    """Run `warm_up` now if this process is on Lambda; called last in a handler's module.

    A missing variable, layer or permission then fails the start, not the first request.
    Elsewhere nothing is run at import: tests build their own services, and the local runner calls
    `warm` itself.
    """
    if is_on_lambda():
        warm_up()
