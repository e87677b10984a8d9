"""Attributes that templates can reach: keys of data, and the names listed here.

A template never reaches a Python attribute of plain data by reflection. The listed names are what
Jinja2 users expect of strings, lists, mappings and the language's own objects; all others are
undefined.
"""

from collections.abc import Callable, Mapping
from typing import Final, override

from jinja2.filters import _GroupTuple
from jinja2.runtime import Macro
from jinja2.sandbox import (
    SandboxedEnvironment,
    SandboxedEscapeFormatter,
    SandboxedFormatter,
)
from jinja2.utils import Cycler, Joiner
from markupsafe import Markup

from chalicelib.engine.templating.compiler import MeteredLoop
from chalicelib.engine.templating.fuel import FuelMeter
from chalicelib.engine.templating.operators import check_field_widths
from chalicelib.engine.templating.unprintable import Unprintable

_STRING_METHODS: Final = frozenset(
    [
        "capitalize",
        "casefold",
        "center",
        "count",
        "endswith",
        "find",
        "index",
        "isalnum",
        "isalpha",
        "isascii",
        "isdecimal",
        "isdigit",
        "islower",
        "isnumeric",
        "isspace",
        "istitle",
        "isupper",
        "join",
        "ljust",
        "lower",
        "lstrip",
        "partition",
        "removeprefix",
        "removesuffix",
        "replace",
        "rfind",
        "rindex",
        "rjust",
        "rpartition",
        "rsplit",
        "rstrip",
        "split",
        "splitlines",
        "startswith",
        "strip",
        "swapcase",
        "title",
        "upper",
        "zfill",
    ],
)
_SEQUENCE_METHODS: Final = frozenset({"count", "index"})

DATA_METHODS: Final[Mapping[type, frozenset[str]]] = {
    dict: frozenset({"get", "items", "keys", "values"}),
    list: _SEQUENCE_METHODS,
    tuple: _SEQUENCE_METHODS,
    str: _STRING_METHODS,
    Markup: _STRING_METHODS | {"striptags", "unescape"},
}

_LOOP_ATTRIBUTES: Final = frozenset(
    [
        "changed",
        "cycle",
        "depth",
        "depth0",
        "first",
        "index",
        "index0",
        "last",
        "length",
        "nextitem",
        "previtem",
        "revindex",
        "revindex0",
    ],
)


class UnprintableMacro(Unprintable, Macro):
    """Macro of a template."""


class UnprintableCycler(Unprintable, Cycler):
    """Result of `cycler(…)`."""


class UnprintableJoiner(Unprintable, Joiner):
    """Result of `joiner(…)`."""


RUNTIME_ATTRIBUTES: Final[Mapping[type, frozenset[str]]] = {
    MeteredLoop: _LOOP_ATTRIBUTES,
    UnprintableCycler: frozenset({"current", "next", "reset"}),
    UnprintableMacro: frozenset({"arguments", "caller", "catch_kwargs", "catch_varargs", "name"}),
    _GroupTuple: frozenset({"grouper", "list"}),
}


class Method(Unprintable):
    """Function that templates may call; its result is charged by size."""

    __slots__ = ("_function", "_meter")

    def __init__(self, function: Callable[..., object], meter: FuelMeter) -> None:
        """Wrap `function`, usually a bound method of plain data."""
        self._function = function
        self._meter = meter

    def __call__(self, *args: object, **kwargs: object) -> object:
        """Call the function and charge its result."""
        return self._meter.charge_result(self._function(*args, **kwargs))


def format_method(environment: SandboxedEnvironment, text: str) -> Callable[..., str]:
    """Return `text.format`, which looks fields up as templates do."""
    formatter: SandboxedFormatter = (
        _EscapeFormatter(environment, escape=text.escape)
        if isinstance(text, Markup)
        else _PlainFormatter(environment)
    )

    def format_text(*args: object, **kwargs: object) -> str:
        return type(text)(formatter.vformat(text, args, kwargs))

    return format_text


class _WidthCheckedFormatter(SandboxedFormatter):
    """Formatter that refuses huge field widths before it builds the text."""

    @override
    def format_field(self, value: object, format_spec: str) -> str:
        check_field_widths(format_spec)
        text: str = super().format_field(value, format_spec)
        return text


class _PlainFormatter(_WidthCheckedFormatter):
    """Formatter of plain text."""


class _EscapeFormatter(_WidthCheckedFormatter, SandboxedEscapeFormatter):
    """Formatter of safe markup, which escapes inserted values."""
