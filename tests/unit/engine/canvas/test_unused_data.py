"""Warnings of data that no text of a canvas names."""

import time
from typing import TYPE_CHECKING

import pytest

from chalicelib.engine.canvas.unused_data import unused_data
from infra.local.examples import example_data, example_names, template_body

if TYPE_CHECKING:
    from chalicelib.core.json import JsonObject


@pytest.mark.parametrize(
    ("texts", "unused"),
    [
        ((), ["title.text", "name", "Invoice No", "café"]),
        (("Hello {{ name }}", "café.x"), ["title.text", "Invoice No"]),
        (("name", "Invoice No", "{{ café|upper }}"), ["title.text"]),
        (
            ("{% for x in name %}{{ x.title.text }}{% endfor %}",),
            ["title.text", "Invoice No", "café"],
        ),
        (("rename names nam",), ["title.text", "name", "Invoice No", "café"]),
    ],
)
def test_key_is_unused_unless_a_text_names_it(texts: tuple[str, ...], unused: list[str]) -> None:
    data: JsonObject = {"title.text": "x", "name": "y", "Invoice No": 1, "café": []}

    warnings = list(unused_data(data, texts))

    assert [warning.detail for warning in warnings] == [f"data.{key}" for key in unused]
    assert {warning.code for warning in warnings} <= {"data_unused"}


def test_warnings_are_few_and_short_also_for_hostile_keys() -> None:
    data: JsonObject = {"k" * 1_000_000 + str(n): None for n in range(30)}
    before_s = time.process_time()

    warnings = list(unused_data(data, ["x" * 1_000_000, "1" * 1_000_000, "." * 1_000_000]))

    assert time.process_time() - before_s < 3
    assert len(warnings) == 20
    assert all(len(warning.message) < 400 for warning in warnings)


@pytest.mark.parametrize("example", ["certificate", "shipping-label"])
def test_scenes_of_the_examples_name_all_of_their_data(example: str) -> None:
    assert example in example_names()

    assert list(unused_data(example_data(example), [str(template_body(example))])) == []
