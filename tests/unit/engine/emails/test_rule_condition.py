"""Conditions of email rules: expressions that cannot leave their tag."""

import time
from collections.abc import Iterator
from typing import Any, Final

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.emails.condition import condition_failure, condition_source
from chalicelib.engine.lint import syntax_faults
from chalicelib.engine.templating.renderer import TemplateRenderer
from chalicelib.engine.templating.worker import TemplateWorker
from tests.builders.waiting import generous_deadline

DATA: Final[dict[str, Any]] = {"n": 3, "name": "a %} b", "empty": [], "__is_true": ""}


@pytest.fixture(scope="module")
def worker() -> Iterator[TemplateWorker]:
    worker = TemplateWorker()
    yield worker
    worker.close()


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("n > 2", "1"),
        ("n > 3", ""),
        ("empty", ""),
        ("missing", ""),
        ("missing.x == 1", ""),
        ("true if n else false", "1"),
        ("n == 3\n  and name", "1"),
        ("n == 3\r\n  and name", "1"),
        ("name == 'a %} b'", "1"),
        ('name == "a %} b" and "\\"%}" != name', "1"),
        ("__is_true", ""),
        ("not __is_true", "1"),
        ("['x', n][1] is odd", "1"),
        ("name | length > 3", "1"),
    ],
)
def test_expression_is_true_or_not(expression: str, expected: str) -> None:
    text = TemplateRenderer().render(condition_source(expression), DATA, strict=False)

    assert text == expected


@pytest.mark.parametrize(
    "expression",
    [
        "n %}1{% if n",
        "n -%}1{%- if n",
        "n +%}1{% set x = n",
        "n %}{% endset %}{% if n",
        "'\\' %}1{% if n",
        "'' %}1{% if ''",
        "n\n%}{{ n }}{% if n",
        "n }}",
        "{# x #}",
        "'open",
        "",
    ],
)
def test_text_that_is_no_expression_is_an_error_of_syntax(expression: str) -> None:
    failure = TemplateRenderer().render(condition_source(expression), DATA, strict=False)

    assert not isinstance(failure, str)
    assert failure.code == "template_syntax_error"


@pytest.mark.parametrize(
    ("expression", "code", "place"),
    [
        ("n and\n  name +", "template_syntax_error", (2, 10, "  name +")),
        ("n and\n  name | round", "template_runtime_error", (1, 1, "n and")),
    ],
)
def test_place_of_a_failure_is_one_in_the_expression(
    worker: TemplateWorker, expression: str, code: str, place: tuple[int, int, str]
) -> None:
    with pytest.raises(RenderFailure) as raised:
        worker.render(
            condition_source(expression), DATA, strict=False, deadline=generous_deadline()
        )

    placed = condition_failure(raised.value, expression)
    assert placed.code == code
    assert tuple(placed.members[name] for name in ("line", "column", "excerpt")) == place


def test_process_compiles_texts_without_running_them(worker: TemplateWorker) -> None:
    texts = {
        "good": "{{ a.b.c }}",
        "endless": "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "open": "<p>\n{{ n",
        "unknown": "{{ n | nothing }}",
    }

    faults = syntax_faults(texts, worker, generous_deadline())

    places = [(each.members["text"], each.code, each.members["line"]) for each in faults]
    assert places == [
        ("open", "template_syntax_error", 2),
        ("unknown", "template_runtime_error", 1),
    ]


def test_texts_that_are_late_are_no_faults(worker: TemplateWorker) -> None:
    with pytest.raises(RenderFailure) as raised:
        syntax_faults({"a": "{{ n }}"}, worker, time.time() - 1)

    assert raised.value.code == "render_timeout"


def test_strings_without_an_end_take_no_time() -> None:
    started = time.process_time()

    condition_source('"' + '\\"' * 100_000)

    assert time.process_time() - started < 2
