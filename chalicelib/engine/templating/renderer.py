"""Renderer of one run: source and plain data in, text or a failure with its position out."""

import random
from collections.abc import Sequence
from decimal import localcontext
from types import GeneratorType
from typing import Final

from jinja2 import Template

from chalicelib.core.json import JsonObject
from chalicelib.engine.templating import failures, limits
from chalicelib.engine.templating.environment import TemplateEnvironment
from chalicelib.engine.templating.failures import TemplateFailure
from chalicelib.engine.templating.filters.locale_defaults import LocaleDefaults
from chalicelib.engine.templating.filters.locale_settings import LocaleSettings
from chalicelib.engine.templating.fuel import FuelError, FuelMeter
from chalicelib.engine.templating.includes import Includes
from chalicelib.engine.templating.loader import CompileError, TemplateLoader
from chalicelib.engine.templating.number import CONTEXT
from chalicelib.engine.templating.undefined import UndefinedValues
from chalicelib.engine.templating.undefined_value import UndefinedValue

_NO_INCLUDES: Final = Includes()
_NO_LOCALE_DEFAULTS: Final = LocaleDefaults()


class TemplateRenderer:
    """Renderer that runs templates one after another."""

    def __init__(self) -> None:
        """Build the strict and the lenient language over one meter, for HTML and for plain text."""
        self._meter = FuelMeter()
        self._loader = TemplateLoader()
        self._locale_settings = LocaleSettings()
        self._undefined_values = UndefinedValues(self._loader)
        self._environments = {
            (strict, escape): TemplateEnvironment(
                self._meter,
                self._loader,
                self._locale_settings,
                self._undefined_values,
                strict=strict,
                escape=escape,
            )
            for strict in (False, True)
            for escape in (False, True)
        }

    @property
    def undefined_values(self) -> Sequence[UndefinedValue]:
        """Return the undefined values that the last run printed."""
        return self._undefined_values.values

    def render(  # noqa: PLR0913 -- what a run depends on
        self,
        source: str,
        data: JsonObject,
        *,
        strict: bool,
        compile_only: bool = False,
        escape: bool = True,
        includes: Includes = _NO_INCLUDES,
        locale_defaults: LocaleDefaults = _NO_LOCALE_DEFAULTS,
    ) -> str | TemplateFailure:
        """Return the text of the template, or its failure; `escape` makes the text HTML.

        With `compile_only` it does not run, and its text is empty; those of `includes` that it
        names outside of conditions and loops are compiled too.
        """
        self._meter.refill()
        random.seed(0)  # Equal requests give equal bytes.
        environment = self._environments[strict, escape]
        self._loader.begin_run(source, includes)
        self._undefined_values.begin_run()
        parts = self._locale_settings.begin_run(source, locale_defaults)
        try:
            template = self._loader.load(environment)
            if compile_only and includes != _NO_INCLUDES:
                self._loader.check_names(environment)
            if compile_only:
                return ""
            with localcontext(CONTEXT):
                return _collect_output(template, data, parts)
        except CompileError as error:
            return failures.compile_failure(error, self._loader, environment)
        except Exception as error:  # noqa: BLE001 -- a hostile template may provoke any exception
            return failures.runtime_failure(error, self._loader)


def _collect_output(template: Template, data: JsonObject, parts: list[str]) -> str:
    remaining = limits.OUTPUT_BYTES
    stream = template.root_render_func(template.new_context(dict(data)))
    assert isinstance(stream, GeneratorType)
    write = parts.append
    for part in stream:
        write(part)
        remaining -= len(part)
        if remaining < 0:
            stream.throw(
                _output_error()
            )  # Raised inside the template, so that the failure has a position.
    text = _replace_lone_surrogates("".join(parts))
    if not text.isascii() and len(text.encode()) > limits.OUTPUT_BYTES:
        raise _output_error()
    return text


def _output_error() -> FuelError:
    return FuelError(f"The template wrote more than {limits.OUTPUT_BYTES:,} bytes.")


def _replace_lone_surrogates(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
