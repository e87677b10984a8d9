"""What a filter says of a value that it cannot take."""

from typing import Any, Final

_MAX_SHOWN_CHARACTERS: Final = 40
_TYPE_NAMES: Final = {
    bool: "true or false",
    dict: "an object",
    int: "a whole number",
    list: "a list",
    tuple: "a list",
    type(None): "null",
}


def value_description(value: Any) -> str:
    """Return a short text that says what a value is."""
    if isinstance(value, str):
        cut = "…" if len(value) > _MAX_SHOWN_CHARACTERS else ""
        return f"'{value[:_MAX_SHOWN_CHARACTERS]}{cut}'"
    if isinstance(value, float):
        return str(value)
    return _TYPE_NAMES.get(type(value), "something else")
