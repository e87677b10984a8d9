"""Placeholders of templates that are left in a document without data."""

import pytest

from chalicelib.engine.browser.output.placeholders import MAX_PLACEHOLDERS
from tests.builders.pages.real_browser import Render

VUE = (
    "<p id=p>{{ name }}</p><script>p.textContent = p.textContent.replace(/{{.*}}/, 'Ada')</script>"
)


@pytest.mark.parametrize(
    ("html", "places"),
    [
        ("<p>Dear {{ name }}", ["body > p"]),
        ("<p>{{a}}<p id=b>{{ b }} and {{ b }}", ["body > p:nth-of-type(1)", "p#b"]),
        ("<a href='/{{ id }}'>x</a>", ["body > a"]),
        ("<script>let idle</script><p class='x y z'>{{ name }}", ["body > p.x.y"]),
        ("<title>{{ title }}</title><p>x", ["head > title"]),
        (VUE, []),
        ("<p>{{ <p>}} {{}} { { a } }", []),
        ("<pre>{{ name }}</pre><code>{{ name }}</code><style>/* {{ x }} */</style>", []),
        ("<script>const text = '{{ name }}'</script><p>x", []),
    ],
)
def test_placeholders_are_told_by_their_places(
    render: Render, html: str, places: list[str]
) -> None:
    warnings = render(html).trace.warnings

    assert {each.code for each in warnings} <= {"placeholder_left", "link_broken"}
    assert [each.detail for each in warnings if each.code == "placeholder_left"] == places


def test_message_has_the_placeholder(render: Render) -> None:
    (warning,) = render("<p>{{  customer.name |\n upper }}").trace.warnings

    assert "{{ customer.name | upper }}" in warning.message


def test_many_placeholders_are_told_twenty_times(render: Render) -> None:
    html = "".join(f"<p>{{{{ value_{number} }}}} {{{{" for number in range(2_000))

    assert len(render(html).trace.warnings) == MAX_PLACEHOLDERS


def test_placeholders_of_output_texts_are_told_by_their_fields(render: Render) -> None:
    header = {"enabled": True, "left": "{{ page }} of {{ customer }}", "right": "{{ pages }}"}
    hidden = {"enabled": False, "left": "{{ customer }}"}

    outcome = render("<p>x", filename="{{ number }}", pdf={"header": header, "footer": hidden})

    left = [each.detail for each in outcome.trace.warnings if each.code == "placeholder_left"]
    assert left == ["output.filename", "output.pdf.header.left"]
