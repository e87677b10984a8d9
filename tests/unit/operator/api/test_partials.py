"""Partials of a template folder: put in as an include would, and taken out again."""

from collections.abc import Mapping

import pytest
from jinja2 import DictLoader, Environment

from infra.operator.api.partials import ExpandedText, collapse, expand
from infra.operator.output import CommandError

PARTIALS: Mapping[str, str] = {
    "address.html": '{% set x = "inner" %}\n<b>{{ name }}</b> '
    '{% include "partials/deep/street.html" %}\n',
    "deep/street.html": "<i>{{ street }}</i>",
    "loop.html": '{% include "partials/loop.html" %}',
}
TEMPLATE = """<p>{% set x = "outer" %}{% include "partials/address.html" %}{{ x }}</p>
{# {% include "partials/gone.html" %} #}
{% raw %}{% include "partials/gone.html" %}{% endraw %}
{% for n in [1, 2] %}|  {%- include "partials/address.html" -%}  |{% endfor %}
"""
DATA = {"name": "Ada", "street": "One"}


def expanded(text: str) -> ExpandedText:
    return expand("template.html", text, PARTIALS.__getitem__)


def test_a_text_with_partials_prints_what_includes_would_print() -> None:
    included = Environment(
        autoescape=True,
        loader=DictLoader({f"partials/{name}": text for name, text in PARTIALS.items()}),
    ).from_string(TEMPLATE)
    whole = Environment(autoescape=True).from_string(expanded(TEMPLATE).text)

    assert whole.render(DATA) == included.render(DATA)
    assert "outer" in whole.render(DATA)


def test_partials_are_taken_out_as_they_were_put_in() -> None:
    found: dict[str, str] = {}

    assert collapse(expanded(TEMPLATE).text, found) == TEMPLATE
    assert found == {
        "address.html": PARTIALS["address.html"],
        "deep/street.html": PARTIALS["deep/street.html"] + "\n",
    }


def test_a_partial_that_was_changed_at_one_place_stays_there() -> None:
    text = expanded('{% include "partials/deep/street.html" %}' * 2).text
    changed = text[::-1].replace("<i>"[::-1], "<u>"[::-1], 1)[::-1]
    found: dict[str, str] = {}
    left = collapse(changed, found)

    assert left.startswith('{% include "partials/deep/street.html" %}{# partials/deep/street.html')
    assert expanded(left).text == changed


@pytest.mark.parametrize("name", ["../../.bashrc", "a/../../../.git/hooks/pre-push", ".."])
def test_a_name_that_leads_out_of_the_folder_makes_no_file(name: str) -> None:
    text = f"{{# partials/{name} #}}{{% with %}}x{{% endwith %}}{{# end of partials/{name} #}}"
    found: dict[str, str] = {}

    assert collapse(text, found) == text
    assert found == {}


@pytest.mark.parametrize(
    ("needle", "file", "line", "column"),
    [
        ("{{ x }}", "template.html", 1, 62),
        ("<b>{{", "partials/address.html", 2, 1),
        ("<i>{{", "partials/deep/street.html", 1, 1),
        ("{# {%", "template.html", 2, 1),
        ("{% endfor", "template.html", 4, 67),
    ],
)
def test_a_place_is_found_in_its_file(needle: str, file: str, line: int, column: int) -> None:
    text = expanded(TEMPLATE)
    offset = text.text.index(needle)
    before = text.text[:offset]
    place = text.place(before.count("\n") + 1, offset - before.rfind("\n"))

    assert (place.file, place.line, place.column) == (file, line, column)
    assert place.text is not None
    assert place.text[column - 1 :].startswith(needle)


@pytest.mark.parametrize(
    ("text", "begin"),
    [
        ('a\n{% extends "partials/base.html" %}', "template.html:2: write {% include"),
        ('{% import "partials/macros.html" as m %}', "template.html:1: write"),
        ('{% from "partials/macros.html" import m %}', "template.html:1: write"),
        ('{% include "partials/a.html" without context %}', "template.html:1: write"),
        ('{% include "partials/loop.html" %}', "partials/loop.html: partials/loop.html includes"),
        ('{% include "partials/../a.html" %}', "template.html: partials/../a.html includes itself"),
    ],
)
def test_what_cannot_be_a_file_is_refused_with_its_place(text: str, begin: str) -> None:
    with pytest.raises(CommandError) as refusal:
        expanded(text)

    assert refusal.value.message.startswith(begin)
