"""Text filters: safe markup from any text."""

import html
import json
import re

import pytest

from chalicelib.core.json import Json
from chalicelib.engine.templating.number import Number
from chalicelib.engine.templating.renderer import TemplateRenderer


@pytest.fixture(scope="module")
def renderer() -> TemplateRenderer:
    return TemplateRenderer()


def text(renderer: TemplateRenderer, source: str, value: Json, *, escape: bool = True) -> str:
    result = renderer.render(source, {"v": value}, strict=True, escape=escape)
    assert isinstance(result, str), result
    return result


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (
            "# A\n\n*b* **c** `d`",
            "<h1>A</h1>\n<p><em>b</em> <strong>c</strong> <code>d</code></p>\n",
        ),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"),
        ("~~a~~", "<p><s>a</s></p>\n"),
        (
            "[a](https://x.example/?a=1&b=2)",
            '<p><a href="https://x.example/?a=1&amp;b=2">a</a></p>\n',
        ),
        ("[a](mailto:b@c.example)", '<p><a href="mailto:b@c.example">a</a></p>\n'),
        ("[a](b/c:d#e)", '<p><a href="b/c:d#e">a</a></p>\n'),
        (
            "![a](data:image/png;base64,AA==)",
            '<p><img src="data:image/png;base64,AA==" alt="a" /></p>\n',
        ),
        ("a < b & c", "<p>a &lt; b &amp; c</p>\n"),
        (Number("12.50"), "<p>12.5</p>\n"),
        ("", ""),
    ],
)
def test_markdown_becomes_markup(renderer: TemplateRenderer, value: Json, expected: str) -> None:
    assert text(renderer, "{{ v|markdown }}", value) == expected


def test_markdown_has_tables(renderer: TemplateRenderer) -> None:
    made = text(renderer, "{{ v|markdown }}", "|a|b|\n|-|-:|\n|1|<i>|")

    assert "<td>1</td>" in made
    assert "&lt;i&gt;" in made


@pytest.mark.parametrize(
    "value",
    [
        "<script>alert(1)</script>",
        "a <b onclick=alert(1)>b</b>",
        "<!-- x --><svg/onload=alert(1)>",
        "[a](javascript:alert(1))",
        "[a](JaVaScRiPt:alert(1))",
        "[a](java&#115;cript:alert(1))",
        "[a](&#x6A;avascript&colon;alert(1))",
        "[a](<java\tscript:alert(1)>)",
        "[a](\x01javascript:alert(1))",
        "[a](vbscript:x)",
        "[a](data:text/html,<script>alert(1)</script>)",
        "![a](data:image/svg+xml,<svg/onload=alert(1)>)",
        "[a](file:///etc/passwd)",
        "<javascript:alert(1)>",
        "[a]: javascript:alert(1)\n\n[a]",
        '[a](https://x.example "\\" onmouseover=alert(1) x=\\"")',
        '![" onerror="alert(1)](https://x.example)',
        '```" onload=alert(1)\nx\n```',
        '<https://x.example/"onmouseover=alert(1)>',
    ],
)
def test_markdown_cannot_inject_scripts(renderer: TemplateRenderer, value: str) -> None:
    made = text(renderer, "{{ v|markdown }}", value)

    for tag in re.findall(r"<([^>]*)>", made):
        without_values = re.sub(r'"[^"]*"', '""', tag)
        assert re.fullmatch(r'/?[a-z0-9]+( (href|src|alt|title|class)="")*( /)?', without_values)
        for url in re.findall(r'(?:href|src)="([^"]*)"', tag):
            plain = html.unescape(url).lower()
            assert re.match(r"https?:|[^:]*$", plain), plain


def test_lines_become_breaks(renderer: TemplateRenderer) -> None:
    value = "a\r\nb\rc\n\n<d>"

    assert text(renderer, "{{ v|nl2br }}", value) == "a<br>\nb<br>\nc<br>\n<br>\n&lt;d&gt;"
    assert text(renderer, "{{ '<b>'|safe|nl2br }}", "") == "<b>"


@pytest.mark.parametrize(
    "value", ["</script><!--", "'\"><img src=x>", "\u2028&amp;", {"<": [None]}]
)
def test_json_is_safe_in_scripts_and_attributes(renderer: TemplateRenderer, value: Json) -> None:
    script = text(renderer, "<script>{{ v|tojson }}</script>", value)
    single = text(renderer, "<p data-v='{{ v|tojson }}'>", value)
    double = text(renderer, '<p data-v="{{ v|tojson|forceescape }}">', value)

    assert json.loads(script.removeprefix("<script>").removesuffix("</script>")) == value
    assert not set("<>&'") & set(script[8:-9])
    assert json.loads(single[11:-2]) == value
    assert json.loads(html.unescape(double[11:-2])) == value


@pytest.mark.parametrize(
    "source",
    ["{{ [v]|markdown }}", "{{ {}|nl2br }}", "{{ (1e308 * 10)|tojson }}"],
)
def test_non_text_value_is_an_error_at_its_position(
    renderer: TemplateRenderer, source: str
) -> None:
    fault = renderer.render(f"line\n  {source}", {"v": 1}, strict=True)

    assert not isinstance(fault, str), fault
    assert (fault.code, fault.line) == ("template_runtime_error", 2)
