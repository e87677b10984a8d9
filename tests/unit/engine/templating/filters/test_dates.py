"""Date and time filters in each locale."""

# ruff: noqa: RUF001 -- letters and digits of many scripts
from typing import Final

import pytest

from chalicelib.engine.templating.filters.locale_defaults import LocaleDefaults
from chalicelib.engine.templating.renderer import TemplateRenderer

# `~` is a narrow no-break space.
LOCALES: Final = {
    "en": ("11/2/26", "Nov 2, 2026", "Monday, November 2, 2026", "11/2/26, 3:05~PM"),
    "en-GB": ("02/11/2026", "2 Nov 2026", "Monday, 2 November 2026", "02/11/2026, 15:05"),
    "en-IN": ("02/11/26", "2 Nov 2026", "Monday, 2 November 2026", "02/11/26, 3:05~pm"),
    "de": ("02.11.26", "02.11.2026", "Montag, 2. November 2026", "02.11.26, 15:05"),
    "de-CH": ("02.11.26", "02.11.2026", "Montag, 2. November 2026", "02.11.26, 15:05"),
    "fr": ("02/11/2026", "2 nov. 2026", "lundi 2 novembre 2026", "02/11/2026 15:05"),
    "ja": ("2026/11/02", "2026/11/02", "2026年11月2日月曜日", "2026/11/02 15:05"),
    "ar-EG": (
        "٢\u200f/١١\u200f/٢٠٢٦",
        "٠٢\u200f/١١\u200f/٢٠٢٦",
        "الاثنين، ٢ نوفمبر ٢٠٢٦",
        "٢\u200f/١١\u200f/٢٠٢٦، ٣:٠٥ م",
    ),
    "pl": ("2.11.2026", "2 lis 2026", "poniedziałek, 2 listopada 2026", "2.11.2026, 15:05"),
    "sv": ("2026-11-02", "2 nov. 2026", "måndag 2 november 2026", "2026-11-02 15:05"),
    "tr": ("2.11.2026", "2 Kas 2026", "2 Kasım 2026 Pazartesi", "2.11.2026 15:05"),
    "zh": ("2026/11/2", "2026年11月2日", "2026年11月2日星期一", "2026/11/2 15:05"),
    "pt-BR": (
        "02/11/2026",
        "2 de nov. de 2026",
        "segunda-feira, 2 de novembro de 2026",
        "02/11/2026 15:05",
    ),
}


@pytest.fixture(scope="module")
def renderer() -> TemplateRenderer:
    return TemplateRenderer()


def text(
    renderer: TemplateRenderer, source: str, locale: str | None = "en", timezone: str | None = None
) -> str:
    result = renderer.render(
        source, {}, strict=True, locale_defaults=LocaleDefaults(locale, timezone)
    )
    assert isinstance(result, str), result
    return result


@pytest.mark.parametrize("locale", LOCALES)
def test_each_locale_formats_dates(renderer: TemplateRenderer, locale: str) -> None:
    source = (
        "{% set d = '2026-11-02' %}{{ d|date('short') }}|{{ d|date }}|{{ d|date('full') }}"
        "|{{ '2026-11-02T14:05:09Z'|datetime('short', 'Europe/Berlin') }}"
    )

    assert text(renderer, source, locale) == "|".join(LOCALES[locale]).replace("~", "\u202f")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("'2026-07-02'|date('long')", "July 2, 2026"),
        ("'2026-07-02T23:59:59-09:00'|date", "Jul 2, 2026"),
        ("'20260702'|date('yyyy-MM-dd')", "2026-07-02"),
        ("'2026-07-02'|date(\"EEE d 'of' MMMM, 'week' w\")", "Thu 2 of July, week 27"),
        ("'2026-07-02'|date('d. MMMM y', locale='de')", "2. Juli 2026"),
        ("'2026-07-02'|date('100%sd')", "100%02"),
        ("'0001-01-01'|date('y-MM-dd')", "1-01-01"),
        ("'9999-12-31'|date('y')", "9999"),
        ("'2026-07-02T14:05:09'|datetime('HH:mm:ss')", "14:05:09"),
        ("'2026-07-02T14:05:09.123456Z'|datetime('HH:mm:ss.SSS')", "14:05:09.123"),
        ("'2026-07-02 14:05'|datetime('HH:mm', 'Asia/Tokyo')", "14:05"),
        ("'2026-07-02T14:05Z'|datetime('HH:mm', 'Asia/Tokyo')", "23:05"),
        ("'2026-07-02T14:05+05:30'|datetime('HH:mm xxx')", "14:05 +05:30"),
        ("'2026-07-02T14:05-03:30'|datetime('HH:mm xxx')", "14:05 -03:30"),
        ("'2026-07-02T14:05-03:30'|datetime('zzzz')", "GMT-03:30"),
        ("'2026-07-02T14:05-03:30'|datetime('z O')", "GMT-3:30 GMT-3:30"),
        ("'2026-07-02T14:05Z'|datetime('z', 'Europe/Berlin')", "GMT+2"),
        (
            "'2026-07-02T14:05Z'|datetime('zzzz VV', 'US/Pacific')",
            "Pacific Daylight Time America/Los_Angeles",
        ),
        # Clocks go from 2:00 to 3:00, and from 3:00 back to 2:00.
        ("'2026-03-29T02:30'|datetime('HH:mm O', 'Europe/Berlin')", "03:30 GMT+2"),
        ("'2026-10-25T02:30'|datetime('HH:mm O', 'Europe/Berlin')", "02:30 GMT+2"),
        ("'2026-10-25T01:30Z'|datetime('HH:mm O', 'Europe/Berlin')", "02:30 GMT+1"),
    ],
)
def test_values_zones_and_patterns(
    renderer: TemplateRenderer, expression: str, expected: str
) -> None:
    assert text(renderer, f"{{{{ {expression} }}}}") == expected


def test_time_zone_comes_from_filter_output_or_value(renderer: TemplateRenderer) -> None:
    source = "{{ '2026-07-02T14:05+01:00'|datetime('HH:mm') }}"
    own = "{{ '2026-07-02T14:05+01:00'|datetime('HH:mm', timezone='UTC') }}"

    assert text(renderer, source) == "14:05"
    assert text(renderer, source, timezone="Asia/Tokyo") == "22:05"
    assert text(renderer, own, timezone="Asia/Tokyo") == "13:05"


def test_a_full_time_names_its_zone(renderer: TemplateRenderer) -> None:
    source = "{{ '2026-07-02T14:05:09Z'|datetime('full', 'Europe/Berlin') }}"

    assert text(renderer, source, "de") == (
        "Donnerstag, 2. Juli 2026, 16:05:09 Mitteleuropäische Sommerzeit"
    )
    assert text(renderer, source, "sv") == (
        "torsdag 2 juli 2026 16:05:09 centraleuropeisk sommartid"
    )
