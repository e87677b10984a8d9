"""Text of values; functions, iterators and helpers such as `cycler` have none."""

import re
from collections.abc import Callable
from typing import ClassVar, Final, NoReturn, override

from jinja2.exceptions import TemplateRuntimeError
from jinja2.runtime import Undefined
from markupsafe import escape

from chalicelib.engine.templating.number import Number

_ADVICE: Final = "A function or an unfinished sequence cannot be printed; call it, or add |list."
_PRINTABLE_TYPES: Final = frozenset({int, float, Number, bool, type(None), list, dict, range})
_HTML_SPECIAL: Final = re.compile("[&<>'\"]")


class Unprintable:
    """Base of values that cannot be printed, however a template turns them into text.

    Python's own text of such a value would show a class of the service or a memory address. `%`,
    `~`, filters, `format` and the text of a list all call `__repr__`.
    """

    __slots__ = ()

    _advice: ClassVar[str] = _ADVICE

    @override
    def __repr__(self) -> NoReturn:
        # By the type, because a namespace looks its own attributes up among the template's.
        raise TemplateRuntimeError(type(self)._advice)  # noqa: SLF001 -- its own


type PrintNull = Callable[[object], object]
"""Function that notes a null of which text is made, and returns its text; others it returns."""


def check_printable[T](value: T) -> T:
    """Return a value that can be printed; raises TemplateRuntimeError."""
    if type(value) not in _PRINTABLE_TYPES and not isinstance(value, str | Undefined | tuple):
        if isinstance(value, Unprintable):
            repr(value)
        raise TemplateRuntimeError(_ADVICE)
    return value


class Printer:
    """Printer of values: `print_null` gives the text of a null."""

    def __init__(self, print_null: PrintNull) -> None:
        """Print nulls by a function."""
        self._print_null = print_null

    def finalize(self, value: object) -> object:
        """Return a value that can be printed; raises TemplateRuntimeError."""
        return check_printable(self._print_null(value))

    def html_text(self, value: object) -> str:
        """Return the text of a value, escaped for HTML."""
        if type(value) is str:
            return escape(value) if _HTML_SPECIAL.search(value) else value
        kind = type(value)
        if kind is int or kind is Number:
            return str(value)
        return escape(self.finalize(value))

    def plain_text(self, value: object) -> str:
        """Return the text of a value for plain text."""
        return value if type(value) is str else str(self.finalize(value))
