"""Description of an unsuitable value for the error messages of filters and operators."""

from typing import Final

from chalicelib.engine.templating.number import Number

_MAX_SHOWN_CHARACTERS: Final = 40
_TYPE_NAMES: Final = {
    bool: "true or false",
    dict: "an object",
    int: "a whole number",
    list: "a list",
    tuple: "a list",
    type(None): "null",
}


def value_description(value: object) -> str:
    """Return a short description of a value."""
    if isinstance(value, str):
        ellipsis = "…" if len(value) > _MAX_SHOWN_CHARACTERS else ""
        return f"'{value[:_MAX_SHOWN_CHARACTERS]}{ellipsis}'"
    if isinstance(value, Number):
        return str(value)
    return _TYPE_NAMES.get(type(value), "something else")
