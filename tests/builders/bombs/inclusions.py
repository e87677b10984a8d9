"""Bombs of templates that include templates."""

from typing import Final

from chalicelib.engine.templating.includes import Includes
from tests.builders.bombs.parts import FUEL, RUNTIME, SYNTAX, loop


def tpl(letter: str) -> str:
    """Return a template's id."""
    return "tpl_01" + letter * 24


DOUBLING: Final = Includes(
    {
        tpl(a): f"{{% include '{tpl(b)}' %}}" * 9 if b else "x"
        for a, b in zip("ABCDEFGH", [*"BCDEFGH", ""], strict=True)
    }
)
INCLUDES: Final = {
    "nine of nine of nine": (f"{{% include '{tpl('A')}' %}}", FUEL, DOUBLING),
    "itself": (
        f"{{% include '{tpl('A')}' %}}",
        RUNTIME,
        Includes({tpl("A"): f"{{% include '{tpl('A')}' %}}"}),
    ),
    "itself without its context": (
        f"{{% include '{tpl('A')}' %}}",
        RUNTIME,
        Includes({tpl("A"): f"{{% include '{tpl('A')}' without context %}}"}),
    ),
    "each other from macros": (
        f"{{% include '{tpl('A')}' %}}",
        RUNTIME,
        Includes(
            {
                tpl(a): f"{{% macro m() %}}{{% include '{tpl(b)}' %}}{{% endmacro %}}{{{{ m() }}}}"
                for a, b in ("AB", "BA")
            }
        ),
    ),
    "in loops": (
        loop(9999, loop(9999, f"{{% include '{tpl('H')}' %}}")),
        FUEL,
        DOUBLING,
    ),
    "a large one in a loop": (
        loop(99999, f"{{% include '{tpl('A')}' %}}"),
        FUEL,
        Includes({tpl("A"): "x" * 100_000}),
    ),
    "one nested too deep to compile": (
        f"{{% include '{tpl('A')}' %}}",
        SYNTAX,
        Includes({tpl("A"): "{{ " + "(" * 100_000}),
    ),
    "a bomb": (
        f"{{% include '{tpl('A')}' %}}",
        FUEL,
        Includes({tpl("A"): "{{ 'x' * 10**9 }}"}),
    ),
    "of what is not there in a loop": (
        loop(9999999, f"{{% include '{tpl('N')}' ignore missing %}}"),
        FUEL,
        Includes({}, {tpl("N"): "There is none."}),
    ),
}
