"""Attributes that templates can reach: keys of data, and the names listed here.

A template never reaches a Python attribute of plain data by reflection. Jinja2 users expect the
listed names of strings, lists, mappings and the language's own objects; all others are undefined.
"""

from collections.abc import Callable, Mapping
from typing import Final, override

from jinja2.filters import _GroupTuple
from jinja2.sandbox import (
    SandboxedEnvironment,
    SandboxedEscapeFormatter,
    SandboxedFormatter,
)
from markupsafe import Markup

from chalicelib.engine.templating.fuel import FuelMeter
from chalicelib.engine.templating.operators import check_field_widths
from chalicelib.engine.templating.runtime import (
    Block,
    MeteredLoop,
    UnprintableCycler,
    UnprintableMacro,
)
from chalicelib.engine.templating.unprintable import PrintNull, Unprintable

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


RUNTIME_ATTRIBUTES: Final[Mapping[type, frozenset[str]]] = {
    Block: frozenset({"super"}),
    MeteredLoop: _LOOP_ATTRIBUTES,
    UnprintableCycler: frozenset({"current", "next", "reset"}),
    UnprintableMacro: frozenset({"arguments", "caller", "catch_kwargs", "catch_varargs", "name"}),
    _GroupTuple: frozenset({"grouper", "list"}),
}


METHOD_IDIOMS: Final[Mapping[type, Mapping[str, str]]] = {
    list: {
        "append": "{% set rows = rows + [item] %} (in a loop: an attribute of a namespace)",
        "extend": "{% set rows = rows + others %} (in a loop: an attribute of a namespace)",
        "insert": "{% set rows = rows[:1] + [item] + rows[1:] %}",
        "pop": "rows[-1], and rows[:-1] for the rest",
        "remove": "rows|reject('eq', item)|list",
        "reverse": "rows|reverse|list",
        "sort": "rows|sort",
        "copy": "rows, which never changes",
        "clear": "[]",
    },
    dict: {
        "update": "dict(values, name=value)",
        "setdefault": "values.get(name, value)",
        "pop": "dict(values|items|rejectattr(0, 'eq', name))",
        "copy": "values, which never changes",
        "fromkeys": "dict(name=value)",
        "has_key": "name in values",
        "iteritems": "values.items()",
        "iterkeys": "values.keys()",
        "itervalues": "values.values()",
    },
    str: {
        "strftime": "text|date('d.M.yyyy') or text|datetime",
        "encode": "text|urlencode",
        "expandtabs": "text.replace('\\t', '    ')",
        "format_map": "text.format(**values)",
        "translate": "text.replace(old, new)",
    },
}
_KIND_NAMES: Final[Mapping[type, str]] = {list: "A list", dict: "A mapping", str: "A text"}


def missing_method_hint(obj: object, attribute: str) -> str | None:
    """Return the message about a method that is not offered, with its replacement."""
    kind = str if isinstance(obj, str) else type(obj)
    idiom = METHOD_IDIOMS.get(kind, {}).get(attribute)
    if idiom is None:
        return None
    return f"{_KIND_NAMES[kind]} has no method '{attribute}' here. Instead: {idiom}"


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


def format_method(
    environment: SandboxedEnvironment, text: str, print_null: PrintNull
) -> Callable[..., str]:
    """Return `text.format`, which looks fields up as templates do."""
    formatter: _WidthCheckedFormatter = (
        _EscapeFormatter(environment, escape=text.escape)
        if isinstance(text, Markup)
        else _PlainFormatter(environment)
    )

    formatter.print_null = print_null

    def format_text(*args: object, **kwargs: object) -> str:
        return type(text)(formatter.vformat(text, args, kwargs))

    return format_text


class _WidthCheckedFormatter(SandboxedFormatter):
    """Formatter that refuses huge field widths before it builds the text."""

    print_null: PrintNull

    @override
    def format_field(self, value: object, format_spec: str) -> str:
        check_field_widths(format_spec)
        if value is None:
            value = self.print_null(value)
        text: str = super().format_field(value, format_spec)
        return text


class _PlainFormatter(_WidthCheckedFormatter):
    """Formatter of plain text."""


class _EscapeFormatter(_WidthCheckedFormatter, SandboxedEscapeFormatter):
    """Formatter of safe markup, which escapes inserted values."""
