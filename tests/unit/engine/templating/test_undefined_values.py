"""Undefined values that a lenient run prints: their names and places."""

import pytest

from chalicelib.core.json import JsonObject
from chalicelib.engine.templating.includes import Includes
from chalicelib.engine.templating.renderer import TemplateRenderer
from chalicelib.engine.templating.undefined_value import MAX_UNDEFINED_VALUES

DATA: JsonObject = {"order": {"name": "x"}, "rows": [], "key": "secret", "yes": True}
OTHER = "tpl_01AAAAAAAAAAAAAAAAAAAAAAAA"


@pytest.fixture(scope="module")
def renderer() -> TemplateRenderer:
    return TemplateRenderer()


@pytest.mark.parametrize(
    ("source", "values"),
    [
        ("a\n  {{ gone }}", [("gone", None, 2, 6)]),
        ("{{ order.nam }}", [("nam", None, 1, 4)]),
        ("{{ order['nam'] }}", [("nam", None, 1, 4)]),
        ("{{ gone.deeper.still }}", [("gone", None, 1, 4)]),
        ("{{ 'a' ~ gone }}", [("gone", None, 1, 4)]),
        ("{{ gone|upper }}", [("gone", None, 1, 4)]),
        ("{{ gone|money('EUR') }}", [("gone", None, 1, 4)]),
        ("{{ '%s'|format(gone) }}", [("gone", None, 1, 4)]),
        ("{{ [gone]|join(',') }}", [("gone", None, 1, 4)]),
        ("{% autoescape yes %}{{ gone }}{% endautoescape %}", [("gone", None, 1, 24)]),
        ("{% macro m(a) %}{{ a }}{% endmacro %}\n{{ m() }}", [("a", None, 1, 20)]),
        (f"{{% include '{OTHER}' %}}", [("missing_there", OTHER, 2, 4)]),
        (f"{{% import '{OTHER}' as m with context %}}", [("missing_there", OTHER, 2, 4)]),
        ("{{ gone }}{{ gone }}\n{{ other }}", [("gone", None, 1, 4), ("other", None, 2, 4)]),
        ("{{ rows[rows] }}{{ rows[order] }}", [("an element", None, 1, 4)]),
        ("{{ [gone] }}", [("gone", None, 1, 4)]),
        ("{{ {'a': gone} }}", [("gone", None, 1, 4)]),
        (f"{{{{ '{'x' * 500}' ~ gone }}}}", [("gone", None, 1, 4)]),
        ("{{ rows|first }}", [("an element", None, 1, 4)]),
        # The name is a value of the data.
        ("{{ order[key] }}", [("an element", None, 1, 4)]),
        ("{{ gone|default('d') }}{{ gone is defined }}{{ gone or 'x' }}", []),
        ("{% if gone %}a{% endif %}{% for x in gone %}a{% endfor %}{{ gone == 1 }}", []),
        ("{{ 'x' if not yes }}", []),
        ("{{ order.name }}{{ none }}{{ '' }}", []),
    ],
)
@pytest.mark.parametrize("escape", [True, False])
def test_printed_undefined_values(
    renderer: TemplateRenderer,
    source: str,
    values: list[tuple[str, str | None, int, int]],
    *,
    escape: bool,
) -> None:
    includes = Includes({OTHER: "there\n{{ missing_there }}"})

    text = renderer.render(source, DATA, strict=False, escape=escape, includes=includes)

    assert isinstance(text, str)
    assert [value[:-1] for value in renderer.undefined_values] == values


def test_their_number_is_bounded_and_no_run_sees_those_of_another(
    renderer: TemplateRenderer,
) -> None:
    source = "".join(f"{{{{ gone{n} }}}}" for n in range(50))

    renderer.render(source, {}, strict=False)
    assert len(renderer.undefined_values) == MAX_UNDEFINED_VALUES

    renderer.render("{{ gone1 }}", {}, strict=False)
    assert len(renderer.undefined_values) == 1


def test_strict_run_has_none(renderer: TemplateRenderer) -> None:
    renderer.render("{{ gone|default(1) }}{{ gone }}", {}, strict=True)

    assert renderer.undefined_values == []
