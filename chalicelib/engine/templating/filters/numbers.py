"""Number filters: amounts, numbers and percentages in a locale's format, as exact decimals."""

import copy
import re
import unicodedata
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from typing import Final

from babel import Locale
from babel.core import get_global
from babel.numbers import (
    NumberPattern,
    get_currency_precision,
    get_currency_symbol,
    get_minus_sign_symbol,
)
from jinja2.exceptions import FilterArgumentError

from chalicelib.engine.templating.filters.locale_data import digit_translation
from chalicelib.engine.templating.filters.locale_settings import LocaleSettings
from chalicelib.engine.templating.number import Number
from chalicelib.engine.templating.value_description import value_description

_MAX_DIGITS: Final = 400
_MAX_BITS: Final = 1_320
_MAX_DECIMALS: Final = 20
_DECIMAL: Final = re.compile(r"[+-]?[0-9]{1,400}(?:\.[0-9]{1,400})?(?:[eE][+-]?[0-9]{1,3})?")
_CURRENCY: Final = re.compile(r"[A-Z]{3}")
_DEFAULT_DECIMALS: Final = 2
# ROUND_HALF_UP rounds half away from zero.
_EXACT_CONTEXT: Final = Context(prec=3 * _MAX_DIGITS, rounding=ROUND_HALF_UP)
_CURRENCY_SIGN: Final = "¤"
_NO_BREAK_SPACE: Final = "\u00a0"


class Numbers:
    """Filters `money`, `number` and `percent`."""

    def __init__(self, locale_settings: LocaleSettings) -> None:
        """Format by the run's locale."""
        self._locale_settings = locale_settings

    def money(self, value: object, currency: object = None, locale: object = None) -> str:
        """Format an amount with its currency and the currency's decimals; without one, with two."""
        amount = _parse_decimal(value, "money")
        target_locale = self._locale_settings.locale(locale)
        if currency is None:
            return _format_number(
                amount, target_locale, target_locale.decimal_formats[None], _DEFAULT_DECIMALS
            )
        code = _known_currency(currency)
        pattern = target_locale.currency_formats["standard"]
        text = _format_number(amount, target_locale, pattern, get_currency_precision(code))
        return _insert_symbol(text, get_currency_symbol(code, target_locale))

    def number(self, value: object, decimals: object = None, locale: object = None) -> str:
        """Format a number with `decimals` places; without `decimals`, with three at most."""
        target_locale = self._locale_settings.locale(locale)
        pattern = target_locale.decimal_formats[None]
        return _format_number(
            _parse_decimal(value, "number"), target_locale, pattern, _decimal_places(decimals)
        )

    def percent(self, value: object, decimals: object = 0, locale: object = None) -> str:
        """Format a fraction as a percentage."""
        target_locale = self._locale_settings.locale(locale)
        pattern = target_locale.percent_formats[None]
        return _format_number(
            _parse_decimal(value, "percent"), target_locale, pattern, _decimal_places(decimals) or 0
        )


def _parse_decimal(value: object, name: str) -> Decimal:
    if type(value) is int and value.bit_length() <= _MAX_BITS:
        return Decimal(value)
    if isinstance(value, Number):
        return value
    if isinstance(value, str) and _DECIMAL.fullmatch(value):
        number = Decimal(value)
        if abs(number.adjusted()) <= _MAX_DIGITS:
            return number
    raise FilterArgumentError(
        f"{name} takes a number or a decimal string such as '1234.50', "
        f"of at most {_MAX_DIGITS} digits; this is {value_description(value)}."
    )


def _decimal_places(decimals: object) -> int | None:
    if decimals is None:
        return None
    if type(decimals) is not int or not 0 <= decimals <= _MAX_DECIMALS:
        raise FilterArgumentError(f"decimals must be a whole number from 0 to {_MAX_DECIMALS}.")
    return decimals


def _known_currency(currency: object) -> str:
    if (
        isinstance(currency, str)
        and _CURRENCY.fullmatch(currency) is not None
        and currency in get_global("all_currencies")
    ):
        return currency
    raise FilterArgumentError(
        f"currency: {value_description(currency)} is not known. Use an ISO 4217 code such as 'EUR'."
    )


def _format_number(
    number: Decimal, locale: Locale, pattern: NumberPattern, places: int | None
) -> str:
    """Return a number in a pattern, with the sign `¤` for its currency.

    `places` None uses the pattern's own decimal places.
    """
    system = locale.default_numbering_system
    localized_pattern = copy.copy(pattern)
    localized_pattern.prefix = _localized_affixes(pattern.prefix, locale)
    localized_pattern.suffix = _localized_affixes(pattern.suffix, locale)
    if places is not None:
        localized_pattern.frac_prec = (places, places)
    with localcontext(_EXACT_CONTEXT):
        rounded = number.quantize(
            Decimal(1).scaleb(-localized_pattern.frac_prec[1] - localized_pattern.scale)
        )
        # `or`: a negative number that rounds to zero loses its sign.
        text = localized_pattern.apply(rounded or Decimal(0), locale, numbering_system=system)
    return str(text).translate(digit_translation(system))


def _localized_affixes(affixes: tuple[str, str], locale: Locale) -> tuple[str, str]:
    """Return the affixes of positive and negative numbers with the locale's signs."""
    system = locale.default_numbering_system
    minus = get_minus_sign_symbol(locale, numbering_system=system)
    percent = locale.number_symbols[system].get("percentSign", "%")
    positive, negative = (text.replace("-", minus).replace("%", percent) for text in affixes)
    return positive, negative


def _insert_symbol(text: str, symbol: str) -> str:
    """Insert a currency's symbol; a space separates a letter from a digit (CLDR, TR 35-3)."""
    before, _, after = text.partition(_CURRENCY_SIGN)
    if before[-1:].isdigit() and _is_letter(symbol[0]):
        before += _NO_BREAK_SPACE
    if after[:1].isdigit() and _is_letter(symbol[-1]):
        after = _NO_BREAK_SPACE + after
    return before + symbol + after


def _is_letter(character: str) -> bool:
    return unicodedata.category(character)[0] not in "SZ"
