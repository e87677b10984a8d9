"""Bombs of templates that include, extend or import templates."""

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
DOUBLING_LAYOUTS: Final = Includes(
    {
        template_id(a): (
            (f"{{% extends '{template_id(b)}' %}}" if b else "")
            + "{% block a %}"
            + "{{ super() }}" * (9 if b else 0)
            + "x{% endblock %}"
        )
        for a, b in zip("ABCDEFGHJK", [*"BCDEFGHJK", ""], strict=True)
    }
)
INCLUDES: Final = {
    "nine of nine of nine parent blocks": (
        f"{{% extends '{template_id('A')}' %}}",
        FUEL,
        DOUBLING_LAYOUTS,
    ),
    "a block that calls itself": (
        f"{{% extends '{template_id('K')}' %}}{{% block a %}}{{{{ self.a() }}}}{{% endblock %}}",
        FUEL,
        DOUBLING_LAYOUTS,
    ),
    "a layout of a layout in a circle": (
        f"{{% extends '{template_id('A')}' %}}",
        RUNTIME,
        Includes(
            {template_id(a): f"{{% extends '{template_id(b)}' %}}" for a, b in ("AB", "BC", "CA")}
        ),
    ),
    "a layout of many blocks in a loop": (
        loop(99999, f"{{% include '{template_id('A')}' %}}"),
        FUEL,
        Includes(
            {
                template_id("A"): f"{{% extends '{template_id('B')}' %}}",
                template_id("B"): "".join(
                    f"{{% block a{n} %}}{{% endblock %}}" for n in range(999)
                ),
            }
        ),
    ),
    "imports in loops": (
        loop(9999, loop(9999, f"{{% import '{template_id('H')}' as m %}}")),
        FUEL,
        DOUBLING,
    ),
    "an import whose text nobody prints": (
        f"{{% import '{template_id('A')}' as m %}}",
        FUEL,
        Includes({template_id("A"): loop(9999999, "{{ 'x' * 1000 }}")}),
    ),
    "a macro that imports and calls itself": (
        f"{{% import '{template_id('A')}' as m %}}{{{{ m.m() }}}}",
        FUEL,
        Includes(
            {
                template_id("A"): (
                    f"{{% macro m() %}}{{% import '{template_id('A')}' as m %}}"
                    "{{ m.m() }}{% endmacro %}"
                )
            }
        ),
    ),
    "loops that only continue": (loop(9999, loop(9999, "{% continue %}")), FUEL, Includes()),
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
