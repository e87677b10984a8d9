"""Values of templates that have no text: functions, iterators and helpers such as `cycler`."""

from typing import ClassVar, Final, NoReturn, override

from jinja2.exceptions import TemplateRuntimeError

_ADVICE: Final = "A function or an unfinished sequence cannot be printed; call it, or add |list."


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


def raise_unprintable(value: object) -> NoReturn:
    """Raise the TemplateRuntimeError of a value that has no text."""
    if isinstance(value, Unprintable):
        repr(value)
    raise TemplateRuntimeError(_ADVICE)
