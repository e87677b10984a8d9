"""Why a template gave no text, and where: the code, the message and the place of an error."""

import re
from dataclasses import dataclass
from types import TracebackType
from typing import Final

from jinja2 import Template
from jinja2.exceptions import TemplateAssertionError, TemplatesNotFound, TemplateSyntaxError

from chalicelib.engine.templating import limits
from chalicelib.engine.templating.compiler import UnsupportedSyntaxError
from chalicelib.engine.templating.fuel import FuelError
from chalicelib.engine.templating.loader import (
    INCLUDE_ADVICE,
    TEMPLATE_FILENAME,
    CompileError,
    TemplateLoader,
)
from chalicelib.engine.templating.positions import source_position

_MAX_MESSAGE_CHARACTERS: Final = 500
# Jinja2's lexer counts from the beginning of the source; Python tells where an object lies.
_OFFSET_SUFFIX: Final = re.compile(r" at (\d+$|0x[0-9a-f]+)")
_MODULE_PREFIX: Final = re.compile(r"'(?:chalicelib|jinja2)\.[\w.]*\b(\w+ object')")
_TOO_MANY_DIGITS: Final = "A number has too many digits."
_UNKNOWN_NAME_PREFIXES: Final = ("No filter named", "No test named")
# The one parameter of what Jinja2 puts in the place of a filter or test that a branch misses: it
# raises, but stands nowhere in the source.
_MISSING_FILTER_ARGUMENTS: Final = ("unused",)


@dataclass(frozen=True, slots=True)
class TemplateFailure:
    """Why a template gave no text; the place is absent where it cannot be known."""

    code: str
    message: str
    line: int | None = None
    column: int | None = None
    excerpt: str | None = None


def compile_failure(error: CompileError, loader: TemplateLoader, position: int) -> TemplateFailure:
    """Return why a source cannot be compiled; `position` is where the lexer is."""
    cause = error.__cause__
    assert isinstance(cause, Exception)
    if isinstance(cause, FuelError | MemoryError):
        return _failure_at("template_fuel_exhausted", _message(cause), loader, error.name, position)
    if not isinstance(cause, TemplateSyntaxError):
        # Python's own limits on nesting and on the digits of a number.
        too_long = isinstance(cause, ValueError) and not isinstance(cause, SyntaxError)
        message = _TOO_MANY_DIGITS if too_long else "The template is nested too deeply."
        return _failure_at("template_syntax_error", message, loader, error.name, position)
    code = "template_runtime_error" if _is_unknown_name(cause) else "template_syntax_error"
    return _failure_at(code, _message(cause), loader, error.name, cause.lineno)


def runtime_failure(error: Exception, loader: TemplateLoader) -> TemplateFailure:
    """Return why a run ended."""
    exhausted = isinstance(error, FuelError | MemoryError | RecursionError)
    code = "template_fuel_exhausted" if exhausted else "template_runtime_error"
    where = _innermost_template_frame(error.__traceback__)
    if where is None:
        return TemplateFailure(code, _message(error))
    template, line = where
    position = template.get_corresponding_lineno(line)
    return _failure_at(code, _message(error), loader, template.name, position)


def _is_unknown_name(error: TemplateSyntaxError) -> bool:
    return isinstance(error, UnsupportedSyntaxError) or (
        isinstance(error, TemplateAssertionError)
        and _message(error).startswith(_UNKNOWN_NAME_PREFIXES)
    )


def _innermost_template_frame(traceback: TracebackType | None) -> tuple[Template, int] | None:
    found = None
    while traceback is not None:
        frame = traceback.tb_frame
        code = frame.f_code
        if code.co_filename == TEMPLATE_FILENAME and code.co_varnames != _MISSING_FILTER_ARGUMENTS:
            found = frame.f_globals["__jinja_template__"], traceback.tb_lineno
        traceback = traceback.tb_next
    return found


def _failure_at(
    code: str, message: str, loader: TemplateLoader, name: str | None, position: int
) -> TemplateFailure:
    where = source_position(loader.source_of(name), position)
    if name is not None:
        message = f"In the included template {name}: {message}"
    return TemplateFailure(code, message, where.line, where.column, where.excerpt)


def _message(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return f"The template needs more than {limits.MEMORY_BYTES:,} bytes of memory."
    if isinstance(error, RecursionError):
        return "The template calls itself too deeply."
    if isinstance(error, TemplatesNotFound):
        return f"None of {', '.join(map(str, error.templates))} is there. {INCLUDE_ADVICE}"
    text = str(error)
    if isinstance(error, TemplateSyntaxError):
        text = error.message or ""
    if isinstance(error, ValueError) and text.startswith("Exceeds the limit"):
        return _TOO_MANY_DIGITS
    text = _OFFSET_SUFFIX.sub("", text or type(error).__name__)[:_MAX_MESSAGE_CHARACTERS]
    return _MODULE_PREFIX.sub(r"'\1", text)
