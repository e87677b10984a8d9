"""Values of templates that have no text: functions, iterators and helpers such as `cycler`."""

from typing import NoReturn, override

from jinja2.exceptions import TemplateRuntimeError


class Unprintable:
    """Base of values that cannot be printed, however a template turns them into text.

    Python's own text of such a value would show a class of the service or a memory address. `%`,
    `~`, filters, `format` and the text of a list all call `__repr__`.
    """

    __slots__ = ()

    @override
    def __repr__(self) -> NoReturn:
        raise unprintable_error()


def unprintable_error() -> TemplateRuntimeError:
    """Return the error of a value that has no text."""
    return TemplateRuntimeError(
        "A function or an unfinished sequence cannot be printed; call it, or add |list."
    )
