"""Error codes and template snippets that the bombs share."""

from typing import Final

SYNTAX: Final = "template_syntax_error"
RUNTIME: Final = "template_runtime_error"
FUEL: Final = "template_fuel_exhausted"


def loop(times: int, body: str) -> str:
    """Return a loop around `body`."""
    return f"{{% for i in range({times}) %}}{body}{{% endfor %}}"


def grow(start: str, step: str, times: int = 99, end: str = "{{ ns.v|length }}") -> str:
    """Return a loop that replaces a value by a larger one made of it."""
    grown = loop(times, f"{{% set ns.v = {step} %}}")
    return f"{{% set ns = namespace(v={start}) %}}{grown}{end}"
