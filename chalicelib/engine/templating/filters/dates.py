"""Date and time filters: a locale's format, chosen by a named length or a CLDR pattern."""

import datetime as dt
from typing import Final, Literal, TypeIs, override

from babel import Locale
from babel.dates import (
    DateTimeFormat,
    DateTimePattern,
    get_date_format,
    get_datetime_format,
    get_time_format,
    parse_pattern,
)
from jinja2.exceptions import FilterArgumentError

from chalicelib.engine.templating.filters.locale_data import digit_translation
from chalicelib.engine.templating.filters.locale_settings import LocaleSettings
from chalicelib.engine.templating.value_description import value_description

type _FormatLength = Literal["short", "medium", "long", "full"]

_FORMAT_LENGTHS: Final = ("short", "medium", "long", "full")
_MAX_CHARACTERS: Final = 40
_MAX_PATTERN_CHARACTERS: Final = 100


class Dates:
    """Filters `date` and `datetime`."""

    def __init__(self, locale_settings: LocaleSettings) -> None:
        """Format by the run's locale and time zone."""
        self._locale_settings = locale_settings

    def date(self, value: object, format: object = None, locale: object = None) -> str:  # noqa: A002
        """Format the day of an ISO 8601 date or time, without converting its time zone."""
        target_locale = self._locale_settings.locale(locale)
        moment, form = _parse_moment(value, "date"), _parse_format(format)
        if not _is_length(form):
            return _format_by_pattern(moment, target_locale, form)
        return _apply_pattern(get_date_format(form, locale=target_locale), moment, target_locale)

    def datetime(
        self,
        value: object,
        format: object = None,  # noqa: A002 -- templates name it
        timezone: object = None,
        locale: object = None,
    ) -> str:
        """Format an ISO 8601 time, in the filter's or the run's time zone if there is one."""
        target_locale = self._locale_settings.locale(locale)
        zone = self._locale_settings.time_zone(timezone)
        moment, form = _parse_moment(value, "datetime"), _parse_format(format)
        if zone is not None:
            moment = _convert_to_zone(moment, zone)
        if not _is_length(form):
            return _format_by_pattern(moment, target_locale, form)
        day = _apply_pattern(get_date_format(form, locale=target_locale), moment, target_locale)
        time = _apply_pattern(get_time_format(form, locale=target_locale), moment, target_locale)
        joined = str(get_datetime_format(form, locale=target_locale)).replace("'", "")
        return joined.replace("{0}", time).replace("{1}", day)


class _LocalizedFields(DateTimeFormat):
    """Fields of a pattern, in the digits of the locale."""

    value: dt.datetime

    @override
    def __getitem__(self, name: str) -> str:
        return (
            super()
            .__getitem__(name)
            .translate(digit_translation(self.locale.default_numbering_system))
        )

    @override
    def format_timezone(self, char: str, num: int) -> str:
        text = super().format_timezone(char, num)
        offset = self.value.utcoffset() or dt.timedelta()
        # Babel has no short GMT format (`GMT+2`) and writes an RFC 822 offset instead.
        if not text or (char == "z" and text[0] in "+-"):
            return str(self.locale.zone_formats["gmt"]) % _short_offset(offset)
        # Babel is an hour off at negative offsets with minutes, such as -03:30 (decision 21).
        if offset < dt.timedelta() and offset.seconds % 3600 and any(map(str.isdigit, text)):
            positive = self.value.replace(tzinfo=dt.timezone(-offset))
            text = DateTimeFormat(positive, self.locale).format_timezone(char, num)
            return text.replace("+", "-")
        return text


def _short_offset(offset: dt.timedelta) -> str:
    hours, minutes = divmod(int(abs(offset).total_seconds()) // 60, 60)
    sign = "-" if offset < dt.timedelta() else "+"
    return (f"{sign}{hours}" + (f":{minutes:02}" if minutes else "")) if offset else ""


def _parse_moment(value: object, name: str) -> dt.datetime:
    if isinstance(value, str) and len(value) <= _MAX_CHARACTERS and value.isascii():
        try:
            return dt.datetime.fromisoformat(value)
        except ValueError:
            pass
    raise FilterArgumentError(
        f"{name} takes an ISO 8601 text such as '2026-11-22' or '2026-11-22T14:30:00Z', "
        f"of the years 1 to 9999; this is {value_description(value)}."
    )


def _parse_format(form: object) -> str:
    """Return a format, which is the name of a length or a pattern."""
    if form is None:
        return "medium"
    if not isinstance(form, str) or not 0 < len(form) <= _MAX_PATTERN_CHARACTERS:
        raise _unknown_format_error(form)
    return form


def _is_length(form: str) -> TypeIs[_FormatLength]:
    return form in _FORMAT_LENGTHS


def _convert_to_zone(moment: dt.datetime, zone: dt.tzinfo) -> dt.datetime:
    """Return the moment in `zone`; a moment without an offset is local time there."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=zone)
    try:
        # Through UTC, so that a local time that daylight saving skips becomes a valid one.
        return aware.astimezone(dt.UTC).astimezone(zone)
    except OverflowError:
        raise FilterArgumentError(
            f"datetime cannot show {moment.isoformat()} in {zone}: its years are 1 to 9999."
        ) from None


def _format_by_pattern(moment: dt.datetime, locale: Locale, form: str) -> str:
    try:
        return _apply_pattern(parse_pattern(form), moment, locale)
    except (KeyError, ValueError):
        raise _unknown_format_error(form) from None


def _apply_pattern(pattern: DateTimePattern, moment: dt.datetime, locale: Locale) -> str:
    return str(pattern % _LocalizedFields(moment, locale))


def _unknown_format_error(form: object) -> FilterArgumentError:
    return FilterArgumentError(
        f"format: {value_description(form)} is none of {', '.join(_FORMAT_LENGTHS)} and no CLDR "
        f"pattern such as 'd MMM y' of at most {_MAX_PATTERN_CHARACTERS} characters."
    )
