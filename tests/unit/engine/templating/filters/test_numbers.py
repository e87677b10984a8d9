"""Amount, number and percentage filters in each locale."""

# ruff: noqa: RUF001 -- digits and signs of many scripts
from typing import Any, Final

import pytest

from chalicelib.engine.templating.filters.locale_defaults import LocaleDefaults
from chalicelib.engine.templating.number import Number
from chalicelib.engine.templating.renderer import TemplateRenderer

# Written by hand (`_` is a no-break space, `~` a narrow one) and compared with ICU 78.
LOCALES: Final = {
    "en": ("€1,234,567.89", "-$1,234.50", "-1,234,567.892", "19%"),
    "en-US": ("€1,234,567.89", "-$1,234.50", "-1,234,567.892", "19%"),
    "en-IN": ("€12,34,567.89", "-$1,234.50", "-12,34,567.892", "19%"),
    "de": ("1.234.567,89_€", "-1.234,50_$", "-1.234.567,892", "19_%"),
    "de-CH": ("EUR_1’234’567.89", "$-1’234.50", "-1’234’567.892", "19%"),
    "fr": ("1~234~567,89_€", "-1~234,50_$US", "-1~234~567,892", "19_%"),
    "ja": ("€1,234,567.89", "-$1,234.50", "-1,234,567.892", "19%"),
    "ar-EG": (
        "\u200f١٬٢٣٤٬٥٦٧٫٨٩_€",
        "\u200f\u061c-١٬٢٣٤٫٥٠_US$",
        "\u061c-١٬٢٣٤٬٥٦٧٫٨٩٢",
        "١٩٪\u061c",
    ),
    "ar-AE": (
        "\u200f1,234,567.89_€",
        "\u200f\u200e-1,234.50_US$",
        "\u200e-1,234,567.892",
        "19\u200e%\u200e",
    ),
    "fa": ("\u200e€_۱٬۲۳۴٬۵۶۷٫۸۹", "\u200e−\u200e$_۱٬۲۳۴٫۵۰", "\u200e−۱٬۲۳۴٬۵۶۷٫۸۹۲", "۱۹٪"),
    "pl": ("1_234_567,89_€", "-1_234,50_USD", "-1_234_567,892", "19%"),
    "sv": ("1_234_567,89_€", "−1_234,50_US$", "−1_234_567,892", "19_%"),
    "tr": ("€1.234.567,89", "-$1.234,50", "-1.234.567,892", "%19"),
    "zh": ("€1,234,567.89", "-US$1,234.50", "-1,234,567.892", "19%"),
    "pt-BR": ("€_1.234.567,89", "-US$_1.234,50", "-1.234.567,892", "19%"),
    "nl": ("€_1.234.567,89", "US$_-1.234,50", "-1.234.567,892", "19%"),
}


@pytest.fixture(scope="module")
def renderer() -> TemplateRenderer:
    return TemplateRenderer()


def text(renderer: TemplateRenderer, source: str, locale: str | None = "en", **data: Any) -> str:
    result = renderer.render(source, data, strict=True, locale_defaults=LocaleDefaults(locale))
    assert isinstance(result, str), result
    return result


@pytest.mark.parametrize("locale", LOCALES)
def test_each_locale_formats_numbers(renderer: TemplateRenderer, locale: str) -> None:
    source = (
        "{{ 1234567.891|money('EUR') }}|{{ '-1234.5'|money('USD') }}"
        "|{{ -1234567.8915|number }}|{{ 0.19|percent }}"
    )

    written = text(renderer, source, locale)

    expected = "|".join(LOCALES[locale]).replace("_", "\u00a0").replace("~", "\u202f")
    assert written == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("1234.5|money('JPY')", "¥1,235"),
        ("1.0005|money('KWD')", "KWD\u00a01.001"),
        ("1.005|money('CHF')", "CHF\u00a01.01"),
        ("-1.005|money('CHF')", "-CHF\u00a01.01"),
        ("1234.5|money", "1,234.50"),
        ("1234.5|money('EUR', locale='de')", "1.234,50\u00a0€"),
        ("2.5|number(0)", "3"),
        ("-2.5|number(0)", "-3"),
        ("3.5|number(0)", "4"),
        ("1.005|number(2)", "1.01"),
        ("'1.005'|number(2)", "1.01"),
        ("2.675|number(2)", "2.68"),
        ("1234|number(2)", "1,234.00"),
        ("0.1235|number", "0.124"),
        ("7|number", "7"),
        ("'-0.004'|number(2)", "0.00"),
        ("-0.0|number", "0"),
        ("'-0'|money('EUR')", "€0.00"),
        ("'12345678901234567890.125'|number(2)", "12,345,678,901,234,567,890.13"),
        ("'0.10000000000000000555'|number(20)", "0.10000000000000000555"),
        ("1e22|number", "10,000,000,000,000,000,000,000"),
        ("'1.5e3'|number", "1,500"),
        ("'+1'|number", "1"),
        ("5e-324|number", "0"),
        ("0.195|percent", "20%"),
        ("-0.195|percent", "-20%"),
        ("'0.1945'|percent(1)", "19.5%"),
        ("1|percent(decimals=2)", "100.00%"),
        ("-0.001|percent", "0%"),
    ],
)
def test_numbers_are_exact_and_round_half_away_from_zero(
    renderer: TemplateRenderer, expression: str, expected: str
) -> None:
    assert text(renderer, f"{{{{ {expression} }}}}") == expected


@pytest.mark.parametrize(
    ("source", "locale", "expected"),
    [
        ("<html lang=de><p>{{ n|number }}", None, "<html lang=de><p>1,5"),
        ("<html lang='{{ l }}'><p>{{ n|number }}", None, "<html lang='de-AT'><p>1,5"),
        ("{% set t = n|number %}<html dir=ltr lang=de>{{ t }}", None, "<html dir=ltr lang=de>1,5"),
        ("<html lang=de>{{ n|number }}", "en", "<html lang=de>1.5"),
        ("<html data-lang=en lang=de>{{ n|number }}", None, "<html data-lang=en lang=de>1,5"),
        ("<html lang=tlh>{{ n|number }}", None, "<html lang=tlh>1.5"),
        ("{{ n|number }}", None, "1.5"),
        ("{{ n|number }}", "de-ZZ", "1,5"),
        ("{{ n|number }}", "xx-XX", "1.5"),
        ("{{ n|number(locale='zh-TW') }}", "de", "1.5"),
        ("{{ n|number(locale='de_AT') }}", None, "1,5"),
    ],
)
def test_locale_comes_from_filter_output_page_or_english(
    renderer: TemplateRenderer, source: str, locale: str | None, expected: str
) -> None:
    assert text(renderer, source, locale, n=Number("1.50"), l="de-AT") == expected


def test_page_language_does_not_outlive_its_page(renderer: TemplateRenderer) -> None:
    assert text(renderer, "<html lang=de>{{ 1.5|number }}", None).endswith("1,5")
    assert text(renderer, "{{ 1.5|number }}", None) == "1.5"


def test_undefined_value_is_empty_unless_strict(renderer: TemplateRenderer) -> None:
    source = "[{{ a|money('EUR') }}{{ b.c|date }}{{ d|qrcode }}]{{ 1|money('EUR', locale=e) }}"

    assert renderer.render(source, {}, strict=False) == "[]€1.00"
    for name in ("{{ a|money('EUR') }}", "{{ 1|money(a) }}", "{{ 1|number(locale=a) }}"):
        fault = renderer.render(name, {}, strict=True)
        assert not isinstance(fault, str)
        assert fault.message == "'a' is undefined"
