"""Hostile filter values: every error has a code, a position and a helpful message."""

import pytest

from chalicelib.engine.templating.renderer import TemplateRenderer


@pytest.fixture(scope="module")
def renderer() -> TemplateRenderer:
    return TemplateRenderer()


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("(1e308 * 10)|money('EUR')", "too large"),
        ("(1e308 * 10 - 1e308 * 10)|number", "too large"),
        ("'NaN'|number", "this is 'NaN'"),
        ("'Infinity'|percent", "this is 'Infinity'"),
        ("(10 ** 5000)|number", "this is a whole number"),
        ("('9' * 401)|number", "at most 400 digits"),
        ("('9' * 9000000)|number", "at most 400 digits"),
        ("'1e999'|number", "this is '1e999'"),
        ("'1e-999'|number", "this is '1e-999'"),
        ("'1e99999999999'|number", "decimal string such as '1234.50'"),
        ("'1,5'|number", "this is '1,5'"),
        ("'1_000'|number", "this is '1_000'"),
        ("' 1'|number", "this is ' 1'"),
        ("'\u0661'|number", "decimal string"),
        ("'0x10'|number", "decimal string"),
        ("true|number", "this is true or false"),
        ("[1]|money('EUR')", "this is a list"),
        ("{}|money('EUR')", "this is an object"),
        ("1|money('eur')", "ISO 4217 code such as 'EUR'"),
        ("1|money('XXQ')", "'XXQ' is not known"),
        ("1|money('€')", "'€' is not known"),
        ("1|money(['EUR'])", "a list is not known"),
        ("1|money('E' * 9000000)", "'EEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEE…' is not known"),
        ("1|money('EUR', 'xx')", "BCP 47 tag such as 'de-CH'"),
        ("1|money('EUR', '../../etc/passwd')", "BCP 47"),
        ("1|money('EUR', 'root')", "BCP 47"),
        ("1|money('EUR', 'de\\0')", "BCP 47"),
        ("1|money('EUR', 'de' * 4000000)", "BCP 47"),
        ("1|money('EUR', 5)", "BCP 47"),
        ("1|number(-1)", "from 0 to 20"),
        ("1|number(21)", "from 0 to 20"),
        ("1|number(10 ** 5000)", "from 0 to 20"),
        ("1|number(true)", "from 0 to 20"),
        ("1|percent('2')", "from 0 to 20"),
        ("1|money('EUR', digits=2)", "unexpected keyword argument 'digits'"),
        ("1|number(1, 'de', 3)", "positional arguments"),
        ("'yesterday'|date", "this is 'yesterday'"),
        ("''|date", "ISO 8601 text such as '2026-11-22'"),
        ("'2026-02-30'|date", "this is '2026-02-30'"),
        ("'0000-01-01'|date", "the years 1 to 9999"),
        ("'10000-01-01'|date", "the years 1 to 9999"),
        ("'2026-11-22T25:00'|datetime", "ISO 8601"),
        ("'2026-11-22T00:00:60'|datetime", "ISO 8601"),
        ("'2026-11-22T00:00+99:00'|datetime", "ISO 8601"),
        ("'٢٠٢٦-11-22'|date", "ISO 8601"),
        ("('2' * 9000000)|date", "ISO 8601"),
        ("1763769600|date", "this is a whole number"),
        ("'9999-12-31T23:59Z'|datetime(timezone='Asia/Tokyo')", "its years are 1 to 9999"),
        ("'0001-01-01T00:00'|datetime(timezone='Asia/Tokyo')", "its years are 1 to 9999"),
        ("'2026-11-22'|datetime(timezone='Mars/Base')", "name such as 'Europe/Berlin'"),
        ("'2026-11-22'|datetime(timezone='../../../etc/passwd')", "name such as 'Europe/Berlin'"),
        ("'2026-11-22'|datetime(timezone=['UTC'])", "name such as 'Europe/Berlin'"),
        ("'2026-11-22'|date('y' * 1000000)", "no CLDR pattern"),
        ("'2026-11-22'|date('MMMMMMMM')", "no CLDR pattern"),
        ("'2026-11-22'|date('')", "no CLDR pattern"),
        ("'2026-11-22'|date(5)", "no CLDR pattern"),
    ],
)
def test_invalid_value_is_an_error_at_its_position(
    renderer: TemplateRenderer, expression: str, message: str
) -> None:
    fault = renderer.render(f"first\r\n\tä {{{{ {expression} }}}}", {}, strict=True)

    assert not isinstance(fault, str), fault[:200]
    assert fault.code == "template_runtime_error"
    assert message in fault.message
    assert len(fault.message) < 300
    assert fault.line == 2
    assert fault.column is not None
    assert fault.column >= 4


@pytest.mark.parametrize("field", "GyYuUrQqMLwWdDFgEecabBhHKkjJCmsSAzZOvVXx")
@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 6, 50])
def test_every_pattern_field_formats_or_fails_cleanly(
    renderer: TemplateRenderer, field: str, length: int
) -> None:
    source = "{{ v|datetime(f, 'America/St_Johns') }}{{ v|date(f, locale='ar-EG') }}"
    data = {"v": "2026-11-22T14:05:09.123", "f": field * length}

    made = renderer.render(source, data, strict=True)

    if isinstance(made, str):
        assert "None" not in made
    else:
        assert made.code == "template_runtime_error"
        assert "CLDR pattern" in made.message


@pytest.mark.parametrize(
    "source",
    [
        "{{ ('[' * 3000000)|markdown }}",
        "{{ ('*a **a ' * 300000)|markdown }}",
        "{% for n in range(10 ** 6) %}{{ ('> ' * 100)|markdown }}{% endfor %}",
    ],
)
def test_prose_filters_cost_fuel(renderer: TemplateRenderer, source: str) -> None:
    fault = renderer.render(
        "{% set t = 'x' * 4000000 %}{{ t|markdown|length }}" + source, {}, strict=True
    )

    assert not isinstance(fault, str)
    assert fault.code == "template_fuel_exhausted"
