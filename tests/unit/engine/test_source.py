"""The document that is loaded: extra head and templates."""

from collections.abc import Mapping
from typing import Any

import pytest

from chalicelib.engine.job import Job
from chalicelib.engine.options.output import Output
from chalicelib.engine.source import document_of
from tests.builders.engine import NoOutside, job


class Upper:
    """Templates whose language is capital letters."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, Mapping[str, Any], bool]] = []

    def render(
        self,
        source: str,
        data: Mapping[str, Any],
        *,
        strict: bool,
        deadline: float,  # noqa: ARG002 -- part of the port
    ) -> str:
        self.seen.append((source, data, strict))
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
def test_the_extra_head_comes_first_in_the_head(html: str, expected: str) -> None:
    assert shown(job(html, head="[H]"), Upper()) == expected


def shown(given: Job, templates: Upper) -> str:
    return document_of(given, templates, NoOutside()).html


def output_of(given: Job, templates: Upper) -> Output:
    return document_of(given, templates, NoOutside()).output


def test_only_what_is_templated_is_rendered() -> None:
    templates = Upper()

    assert shown(job("<p>a", data={"n": 1}), templates) == "<p>a"
    assert templates.seen == []


def test_html_and_head_are_templates_of_their_own() -> None:
    templates = Upper()
    strict = {"strict_undefined": True}

    made = shown(job("<head>a", strict, head="b", templating=True, data={"n": 1}), templates)

    assert made == "<HEAD>BA"
    assert templates.seen == [("<head>a", {"n": 1}, True), ("b", {"n": 1}, True)]


PRINTED = {
    "pdf": {
        "header": {"enabled": True, "html": "above"},
        "footer": {"enabled": True, "html": "below"},
    }
}


def test_header_and_footer_are_templates_where_the_document_is_one() -> None:
    templates = Upper()

    pdf = output_of(job("a", PRINTED, templating=True, data={"n": 1}), templates).pdf

    assert pdf.bands.header
    assert pdf.bands.footer
    assert [pdf.bands.header.html, pdf.bands.footer.html] == ["ABOVE", "BELOW"]
    assert pdf.first == pdf.last == pdf.bands
    assert templates.seen[1:] == [("above", {"n": 1}, False), ("below", {"n": 1}, False)]


@pytest.mark.parametrize(
    ("templating", "output"),
    [
        (False, PRINTED),
        (True, {**PRINTED, "format": "png"}),
        (True, {"pdf": {"header": {"enabled": False, "html": "x"}, "footer": {"enabled": True}}}),
    ],
)
def test_what_is_not_printed_from_a_template_is_not_run(
    templating: bool,  # noqa: FBT001 -- a case
    output: dict[str, Any],
) -> None:
    templates = Upper()
    given = job("a", output, templating=templating)

    assert output_of(given, templates) == given.output
    assert templates.seen == ([("a", {}, False)] if templating else [])
