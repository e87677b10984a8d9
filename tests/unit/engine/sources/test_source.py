"""Source document: extra head and templates."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from chalicelib.contract.options.output import OutputOptions
from chalicelib.engine.sources import HtmlSource
from chalicelib.engine.sources.output_texts import TemplateTexts
from chalicelib.engine.sources.source_document import SourceInputs
from chalicelib.engine.templating.filters.locale_defaults import LocaleDefaults
from chalicelib.engine.templating.includes import Includes
from chalicelib.engine.templating.undefined_value import UndefinedValue
from tests.builders.pages.engine_jobs import Task, task


class Upper:
    """Template renderer that returns capital letters."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, Mapping[str, Any], bool]] = []
        self.locale_defaults: list[LocaleDefaults] = []

    def render(  # noqa: PLR0913 -- as the port
        self,
        source: str,
        data: Mapping[str, Any],
        *,
        strict: bool,
        deadline: float,  # noqa: ARG002 -- part of the port
        escape: bool = True,  # noqa: ARG002 -- as above
        includes: Includes = Includes(),  # noqa: ARG002, B008 -- as above
        locale_defaults: LocaleDefaults = LocaleDefaults(),  # noqa: B008 -- it is frozen
        on_undefined: Callable[[UndefinedValue], None] | None = None,  # noqa: ARG002
    ) -> str:
        self.seen.append((source, data, strict))
        self.locale_defaults.append(locale_defaults)
        return source.upper()


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<head lang=x><p>", "<head lang=x>[H]<p>"),
        ("<!DOCTYPE html><HTML><HEAD></HEAD>", "<!DOCTYPE html><HTML><HEAD>[H]</HEAD>"),
        ("<html lang=de><p>", "<html lang=de>[H]<p>"),
        (" <!doctype html><p>", " <!doctype html>[H]<p>"),
        ("<header>x</header>", "[H]<header>x</header>"),
        ("", "[H]"),
    ],
)
def test_extra_head_is_inserted_first_in_the_head(html: str, expected: str) -> None:
    assert shown(task(html, head="[H]"), Upper()) == expected


def shown(given: Task, templates: Upper) -> str:
    job, context = given
    return job.document(context, templates).html


def test_only_what_is_templated_is_rendered() -> None:
    templates = Upper()

    assert shown(task("<p>a", data={"n": 1}), templates) == "<p>a"
    assert templates.seen == []


def test_html_and_head_are_separate_templates() -> None:
    templates = Upper()
    strict = {"strict_undefined": True}

    made = shown(task("<head>a", strict, head="b", templating=True, data={"n": 1}), templates)

    assert made == "<HEAD>BA"
    assert templates.seen == [("<head>a", {"n": 1}, True), ("b", {"n": 1}, True)]


def test_css_is_a_separate_template_after_the_head() -> None:
    templates = Upper()
    source = HtmlSource(html="<head>a", head="b", templating=True, css="p{}")

    made = shown(task(source=source, data={"n": 1}), templates)

    assert made == "<HEAD>B<style>P{}</style>A"
    assert [text for text, _, _ in templates.seen] == ["<head>a", "b", "p{}"]
    plain = shown(task(source=HtmlSource(html="<p>", css="p{}")), templates)
    assert plain == "<style>p{}</style><p>"


@pytest.mark.parametrize(
    ("output", "html", "locale"),
    [
        ({}, "<html lang=de-CH>", "de-CH"),
        ({"locale": "fr"}, "<html lang=de-CH>", "fr"),
        ({}, "<p>", None),
    ],
)
def test_all_texts_use_the_locale_of_the_output_or_the_page(
    output: dict[str, Any], html: str, locale: str | None
) -> None:
    templates = Upper()
    wanted = {**output, "timezone": "Europe/Zurich", "filename": "{{ a }}"}

    shown(task(html, wanted, head="b", templating=True), templates)

    page, *others = templates.locale_defaults
    assert page == LocaleDefaults(output.get("locale"), "Europe/Zurich")
    assert len(others) == 2
    assert {other.timezone for other in others} == {"Europe/Zurich"}
    assert {(other.locale or "").lower() for other in others} == {(locale or "").lower()}


def test_warning_of_an_undefined_value_does_not_name_a_part_of_its_expression() -> None:
    inputs = SourceInputs({}, Includes(), OutputOptions(), lambda: iter(()))
    texts = TemplateTexts(Upper(), inputs, task()[1])

    texts._warn_of_undefined("html", UndefinedValue("nam", None, 1, 4))

    (warning,) = texts.warnings
    assert "nothing for nam, which" in warning.message
    assert "add |default('') to the whole expression" in warning.message
