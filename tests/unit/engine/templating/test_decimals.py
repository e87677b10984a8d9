"""Numbers of templates: decimals that print as people write them, also those in texts."""

import json
import time
from typing import Any

import pytest

from chalicelib.engine.templating.failures import TemplateFailure
from chalicelib.engine.templating.number import Number
from chalicelib.engine.templating.renderer import TemplateRenderer

DATA: dict[str, Any] = json.loads(
    """{
        "price": "12.50", "count": 3, "tenth": 0.1, "fifth": 0.2, "whole": 7.0, "nothing": null,
        "rows": [{"p": "12.50"}, {"p": "0.10"}, {"p": "7"}], "order": {"note": null},
        "day": "2026-11-22", "time": "2026-11-22T10:00:00Z", "days": "14", "code": "49"
    }""",
    parse_float=Number,
)


@pytest.fixture(scope="module")
def renderer() -> TemplateRenderer:
    return TemplateRenderer()


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("tenth + fifth", "0.3"),
        ("(tenth + fifth == 0.3) ~ (0.1 + 0.2 <= 0.3)", "TrueTrue"),
        ("whole ~ ' ' ~ 1.50 ~ ' ' ~ 10 / 4 ~ ' ' ~ 4 / 2 ~ ' ' ~ -0.0", "7 1.5 2.5 2 0"),
        ("1 / 3", "0.3333333333333333333333333333"),
        ("12345678901234567890.125 * 2", "24691357802469135780.25"),
        ("2 ** -2 ~ ' ' ~ 2 ** 0.5", "0.25 1.414213562373095048801688724"),
        ("[1.50, tenth]|string ~ {'a': whole}", "[1.5, 0.1]{'a': 7}"),
        ("1e22 ~ ' ' ~ 1.5e-7", "10000000000000000000000 0.00000015"),
        ("rows|sum(attribute='p')", "19.6"),
        ("rows|map(attribute='p')|sum", "19.6"),
        ("[[1], [2]]|sum(start=[])", "[1, 2]"),
        ("[]|sum", "0"),
        ("price * count ~ ' ' ~ count * price ~ ' ' ~ price * '2'", "37.5 37.5 25"),
        (
            "(price + 1) ~ ' ' ~ (price - '0.5') ~ ' ' ~ price / 5 ~ ' ' ~ price // 5",
            "13.5 12 2.5 2",
        ),
        ("price + '7'", "19.5"),
        ("(code + '12') ~ ' ' ~ ('a' + 'b') ~ ' ' ~ '0' * 3 ~ ' ' ~ '-' * 2", "4912 ab 000 --"),
        ("-7.5 // 2 ~ ' ' ~ -7.5 % 2 ~ ' ' ~ 7.5 % -2 ~ ' ' ~ -7 // 2", "-4 0.5 -0.5 -4"),
        ("range(6 / 2)|list ~ 'abc'[:4 / 2] ~ rows[2.0].p ~ 'a' * 2.0", "[0, 1, 2]ab7aa"),
        (
            "2.675|round(2) ~ ' ' ~ 2.5|round ~ ' ' ~ -2.5|round ~ ' ' ~ '1.005'|round(2)",
            "2.68 3 -3 1.01",
        ),
        ("2.675|money ~ ' ' ~ 2.5|number(0) ~ ' ' ~ '%.2f'|format(2.675)", "2.68 3 2.68"),
        (
            "'%.2f' % '1.005' ~ ' ' ~ '{:.1f}'.format(0.25) ~ ' ' ~ '{}'.format(1.50)",
            "1.01 0.3 1.5",
        ),
        (
            "1250|round(-2) ~ ' ' ~ 1.21|round(1, 'ceil') ~ ' ' ~ 1.29|round(1, 'floor')",
            "1300 1.3 1.2",
        ),
        (
            "'%5.1f|%-7.2f|%+.1f|%05.1f|%d|%s|%%'|format(1.25, 1.5, 2, 3.25, 4.9, 1.50)",
            "  1.3|1.50   |+2.0|003.3|4|1.5|%",
        ),
        ("'%(a).2f %(b)s'|format(a=1.005, b=2) ~ '%*.*f'|format(6, 2, 1.005)", "1.01 2  1.01"),
        (
            "'1.5e3'|float ~ ' ' ~ ' 7 '|int ~ ' ' ~ '12.9'|int ~ ' ' ~ 'x'|float('none')",
            "1500 7 12 none",
        ),
        ("[1.5, 2.0, 0.1 + 0.2]|tojson", "[1.5, 2, 0.3]"),
        (
            "[0.3, 0.1, 2]|sort ~ [0.3, 2]|max ~ [1, 1.0]|unique|list ~ {0.5: 1}[0.50]",
            "[0.1, 0.3, 2]2[1]1",
        ),
        ("(0.5 is float) ~ (1 is float) ~ (3.0 is odd) ~ (0.5 is number)", "TrueFalseTrueTrue"),
        ("1.5|abs ~ (0 - 1.5)|abs ~ -whole ~ 1500.5|filesizeformat", "1.51.5-71.5 kB"),
        ("1 if 0.0 else 2", "2"),
        ("day + 14", "2026-12-06"),
        ("(day + days) ~ ' ' ~ (10 + day) ~ ' ' ~ (day - 22)", "2026-12-06 2026-12-02 2026-10-31"),
        ("time + 10", "2026-12-02T10:00:00Z"),
        ("(day - '2026-01-01') ~ ' ' ~ (time - '2026-11-21T22:00:00Z')", "325 0.5"),
        ("(day + 14)|date('long', 'de')", "6. Dezember 2026"),
    ],
)
def test_numbers_are_decimals(renderer: TemplateRenderer, expression: str, text: str) -> None:
    result = renderer.render(f"{{{{ {expression} }}}}", DATA, strict=True, escape=False)

    assert result == text


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("'abc' + 1", "+ takes numbers or decimal texts such as '12.50'; this is 'abc'."),
        ("rows|sum", "unsupported operand"),
        ("['x']|sum", "+ takes numbers or decimal texts"),
        ("nothing * 2", "this is null"),
        ("price > 10", "Write |float behind a text"),
        ("1 / 0", "division by zero"),
        ("0.0 / 0", "division by zero"),
        ("0 ** -1", "division by zero"),
        ("7.5 % 0", "division by zero"),
        ("range(2.5)", "A whole number is needed here; this is 2.5."),
        ("day + 1.5", "Whole days are added to a date"),
        ("day + 99999999", "The years of dates are 1 to 9999."),
        ("day + 10 ** 4000", "The years of dates are 1 to 9999."),
        ("day - '2026-01-01T00:00Z'", "both or neither have a time zone"),
        ("'abc'|round", "round takes a number"),
        ("1|round(1000)", "precision must be"),
        ("1|round(1, 'up')", "method must be one of"),
        ("gone|round", "'gone' is undefined"),
        ("now", "'now' is undefined"),
    ],
)
def test_what_cannot_be_computed_is_said(
    renderer: TemplateRenderer, expression: str, words: str
) -> None:
    fault = renderer.render(f"a\n{{{{ {expression} }}}}", DATA, strict=True)

    assert isinstance(fault, TemplateFailure), fault
    assert words in fault.message
    assert "decimal." not in fault.message
    assert fault.line == 2


@pytest.mark.parametrize(
    "expression",
    [
        "1e999999",
        "1e300 * 1e300",
        "1e300 ** 1e300",
        "9.9 ** 9e99",
        "1.0000001 ** 10 ** 4000",
        "0.5 ** 10 ** 4000 ~ ''",
        "10 ** 4000 * 0.5",
        "2.0 ** (9 ** 9 ** 9)",
        "1e-999999999999999999 / 1e300",
        "'9' * 9999 + 0.5",
        "('9' * 9999)|float + 1",
        "'1e999999999'|float|string",
        "'1e308'|float * '1e308'|float",
        "1e308 % 1e-308",
        "1e308 // 1e-308",
        "'%.99999999f' % 1.5",
        "'%99999999.1f' % 1.5",
        "'{:.99999999f}'.format(1.5)",
        "[0] * 1e30",
        "'ab' * 1e30",
        "range(1e30)",
        "lipsum(1e30)",
        "'nan'|float + 'Infinity'|float",
        "1e308|round(400)",
        "1e308|int|string",
        "1e-308|string",
        "'%%(' * 20000 % 1",
        "('%' * 200000) % 1",
        "('%(' ~ 'a' * 200000) % 1",
        "('%0' * 100000) % 1",
    ],
)
def test_hostile_numbers_end_soon(renderer: TemplateRenderer, expression: str) -> None:
    before_s = time.process_time()

    result = renderer.render(f"{{{{ {expression} }}}}", DATA, strict=True)

    assert time.process_time() - before_s < 1
    text = result if isinstance(result, str) else result.message
    assert len(text) < 2_000_000
    assert "Inf" not in text
    assert "decimal." not in text


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("escape", [True, False])
@pytest.mark.parametrize(
    ("source", "text", "names"),
    [
        ("[{{ nothing }}]", "[]", ["nothing"]),
        ("{{ order.note }}{{ order.note }}", "", ["order.note"]),
        ("{{ nothing ~ 'x' }}{{ nothing|upper }}{{ nothing|string }}", "x", ["nothing"]),
        ("{{ nothing|money('EUR') }}{{ nothing|date }}{{ nothing|markdown }}", "", ["nothing"]),
        ("{{ [nothing, 1]|join(',') }}{{ '{}-%s'.format(nothing) }}", ",1-%s", ["an element"]),
        ("{{ '%s|%3s|'|format(nothing, nothing) }}", "||", ["an element"]),
        ("{% autoescape count %}{{ nothing }}{% endautoescape %}", "", ["nothing"]),
        ("{{ nothing|default('d', true) }}{{ nothing or 'e' }}{{ nothing is none }}", "deTrue", []),
        ("{% if nothing %}a{% endif %}{{ nothing == 1 }}{{ none }}", "False", []),
    ],
)
def test_null_prints_nothing_and_is_noted(
    renderer: TemplateRenderer,
    source: str,
    text: str,
    names: list[str],
    *,
    strict: bool,
    escape: bool,
) -> None:
    result = renderer.render(source, DATA, strict=strict, escape=escape)

    assert isinstance(result, str), result
    assert result.replace(" ", "") == text
    assert [value.name for value in renderer.undefined_values] == names
    assert all(value.is_null for value in renderer.undefined_values)


def test_many_nulls_cost_little(renderer: TemplateRenderer) -> None:
    before_s = time.process_time()

    renderer.render("{% for n in range(300000) %}{{ nothing }}{% endfor %}", DATA, strict=False)

    assert time.process_time() - before_s < 3
    assert len(renderer.undefined_values) == 1
