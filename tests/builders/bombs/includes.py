"""Bombs of templates that include templates."""

from typing import Final

from chalicelib.engine.templating.includes import Includes
from tests.builders.bombs.snippets import FUEL, RUNTIME, SYNTAX, loop


def template_id(letter: str) -> str:
    """Return a template's id."""
    return "tpl_01" + letter * 24


DOUBLING: Final = Includes(
    {
        template_id(a): f"{{% include '{template_id(b)}' %}}" * 9 if b else "x"
        for a, b in zip("ABCDEFGH", [*"BCDEFGH", ""], strict=True)
    }
)
INCLUDES: Final = {
    "nine of nine of nine": (f"{{% include '{template_id('A')}' %}}", FUEL, DOUBLING),
    "itself": (
        f"{{% include '{template_id('A')}' %}}",
        RUNTIME,
        Includes({template_id("A"): f"{{% include '{template_id('A')}' %}}"}),
    ),
    "itself without its context": (
        f"{{% include '{template_id('A')}' %}}",
        RUNTIME,
        Includes({template_id("A"): f"{{% include '{template_id('A')}' without context %}}"}),
    ),
    "each other from macros": (
        f"{{% include '{template_id('A')}' %}}",
        RUNTIME,
        Includes(
            {
                template_id(a): (
                    f"{{% macro m() %}}{{% include '{template_id(b)}' %}}{{% endmacro %}}"
                    "{{ m() }}"
                )
                for a, b in ("AB", "BA")
            }
        ),
    ),
    "in loops": (
        loop(9999, loop(9999, f"{{% include '{template_id('H')}' %}}")),
        FUEL,
        DOUBLING,
    ),
    "a large one in a loop": (
        loop(99999, f"{{% include '{template_id('A')}' %}}"),
        FUEL,
        Includes({template_id("A"): "x" * 100_000}),
    ),
    "one nested too deep to compile": (
        f"{{% include '{template_id('A')}' %}}",
        SYNTAX,
        Includes({template_id("A"): "{{ " + "(" * 100_000}),
    ),
    "a bomb": (
        f"{{% include '{template_id('A')}' %}}",
        FUEL,
        Includes({template_id("A"): "{{ 'x' * 10**9 }}"}),
    ),
    "of what is not there in a loop": (
        loop(9999999, f"{{% include '{template_id('N')}' ignore missing %}}"),
        FUEL,
        Includes({}, {template_id("N"): "There is none."}),
    ),
}
