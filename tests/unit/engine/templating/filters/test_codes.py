"""Template filters for QR codes and bar codes."""

import re
from xml.etree import ElementTree as ET

import pytest

from chalicelib.core.json import Json
from chalicelib.engine.templating.renderer import TemplateRenderer

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def renderer() -> TemplateRenderer:
    return TemplateRenderer()


def drawn(renderer: TemplateRenderer, source: str, **data: Json) -> ET.Element:
    result = renderer.render(source, data, strict=True)
    assert isinstance(result, str), result
    return ET.fromstring(result)  # noqa: S314 -- our own


@pytest.mark.parametrize(
    ("source", "width", "height"),
    [
        ("{{ v|qrcode }}", "24.75mm", "24.75mm"),
        ("{{ v|qrcode(30) }}", "30", "30"),
        ("{{ v|qrcode('2.5cm', 'H') }}", "2.5cm", "2.5cm"),
        ("{{ v|barcode }}", "72.6mm", "15mm"),
    ],
)
def test_code_has_a_size_and_an_accessible_name(
    renderer: TemplateRenderer, source: str, width: str, height: str
) -> None:
    value = 'a "b" <c> & d\'s'

    svg = drawn(renderer, source, v=value)

    assert (svg.get("width"), svg.get("height")) == (width, height)
    assert svg.get("role") == "img"
    assert svg.get("aria-label") == value
    assert [title.text for title in svg.iter(f"{SVG}title")] == [value]
    assert svg.get("viewBox") is not None


def test_a_long_value_has_a_short_name(renderer: TemplateRenderer) -> None:
    svg = drawn(renderer, "{{ v|qrcode }}", v="x" * 1000)

    assert svg.get("aria-label") == "x" * 200 + "…"


def test_numbers_can_be_encoded(renderer: TemplateRenderer) -> None:
    svg = drawn(renderer, "{{ v|barcode('ean13') }}", v=4006381333931)

    assert svg.get("aria-label") == "4006381333931"
    path = "".join(part.get("d", "") for part in svg.iter(f"{SVG}path"))
    assert len(re.findall("M", path)) == 30  # 2 + 12 + 2 + 12 + 2 bars


@pytest.mark.parametrize(
    "source",
    [
        "{{ 'ä'|barcode }}",
        "{{ ''|barcode }}",
        "{{ ('x' * 81)|barcode }}",
        "{{ '4006381333930'|barcode('ean13') }}",
        "{{ '٤٠٠٦٣٨١٣٣٣٩٣١'|barcode('ean13') }}",
        "{{ 'a'|barcode('ean99') }}",
        "{{ 'a'|barcode(['ean13']) }}",
        "{{ 'a'|barcode(none, 1) }}",
        "{{ 1.5|barcode }}",
        "{{ (10 ** 400)|barcode }}",
        "{{ [1]|qrcode }}",
        "{{ ''|qrcode }}",
        "{{ 'a'|qrcode(size='30mm;x') }}",
        "{{ 'a'|qrcode(size=-1) }}",
        "{{ 'a'|qrcode(size=0) }}",
        "{{ 'a'|qrcode(size=10 ** 400) }}",
        "{{ 'a'|qrcode(size=1e300) }}",
        "{{ 'a'|qrcode(size=true) }}",
        "{{ 'a'|qrcode(error_correction='Z') }}",
        "{{ 'a'|qrcode(error_correction=[]) }}",
        "{{ ('x' * 2400)|qrcode }}",
        "{{ '\\ud800'|qrcode }}",
    ],
)
def test_unencodable_value_is_an_error_at_its_position(
    renderer: TemplateRenderer, source: str
) -> None:
    fault = renderer.render(f"line\n  {source}", {}, strict=True)

    assert not isinstance(fault, str), fault[:100]
    assert (fault.code, fault.line) == ("template_runtime_error", 2)
    assert fault.column is not None
    assert fault.column >= 3


def test_codes_cost_fuel(renderer: TemplateRenderer) -> None:
    many = "{% for n in range(4900000) %}{% endfor %}" + "{{ ('x' * 2000)|qrcode }}" * 2

    for source in (many, "{{ ('x' * 9000000)|qrcode }}"):
        fault = renderer.render(source, {}, strict=True)
        assert not isinstance(fault, str)
        assert fault.code == "template_fuel_exhausted"
