"""When a function makes itself ready."""

from collections.abc import Callable

from chalicelib.settings import is_on_lambda


def warm_up_on_lambda(warm_up: Callable[[], None]) -> None:
    """Run `warm` now on Lambda, where nobody else would: to be called last in a handler's module.

    So a missing variable, layer or permission fails the start with its name, not the first request.
    Everywhere else an import stays an import: tests make their own parts, and the runner of one
    machine calls `warm` itself.
    """
    if is_on_lambda():
        warm_up()
