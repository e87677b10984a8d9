"""Failures of a template: the code, the message and the position of an error."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import DivisionUndefined, InvalidOperation
from types import TracebackType
from typing import TYPE_CHECKING, Final

from jinja2 import Environment, Template
from jinja2.exceptions import (
    TemplateAssertionError,
    TemplateRuntimeError,
    TemplatesNotFound,
    TemplateSyntaxError,
)

from chalicelib.engine.sandbox import limits
from chalicelib.engine.sandbox.process_sandbox import CpuTimeError
from chalicelib.engine.templating.compiler import UnsupportedSyntaxError
from chalicelib.engine.templating.foreign_syntax import advice
from chalicelib.engine.templating.fuel import FuelError
from chalicelib.engine.templating.loader import (
    INCLUDE_ADVICE,
    TEMPLATE_FILENAME,
    CompileError,
    TemplateLoader,
)
from chalicelib.engine.templating.positions import source_position

if TYPE_CHECKING:
    from chalicelib.engine.templating.environment import TemplateEnvironment

_MAX_MESSAGE_CHARACTERS: Final = 500
# Removed from messages: offsets of Jinja2's lexer, and memory addresses of objects.
_OFFSET_SUFFIX: Final = re.compile(r" at (\d+$|0x[0-9a-f]+)")
# Words for the classes of this service that Python names in its messages.
_CLASS_WORDS: Final = {
    "Method": "function",
    "Number": "number",
    "MeteredIterable": "sequence",
    "MappingView": "view of a mapping",
    "MeteredLoop": "loop",
    "ImportedModule": "imported template",
    "SelfReference": "self",
    "Block": "block",
    "UnprintableCycler": "cycler",
    "UnprintableJoiner": "joiner",
    "UnprintableMacro": "macro",
    "UnprintableNamespace": "namespace",
}
_CLASS_NAME: Final = re.compile(rf"\b({'|'.join(_CLASS_WORDS)})\b")
_TYPED_OBJECT: Final = re.compile(rf"'({'|'.join(_CLASS_WORDS)}) object'")
_MODULE_PREFIX: Final = re.compile(r"'(?:chalicelib|jinja2)\.[\w.]*\b(\w+ object')")
_TOO_MANY_DIGITS: Final = "A number has too many digits."
_BY_ZERO: Final = "A division by zero has no result."
_TOO_LARGE: Final = "A number, or a text made of one, is too large here."
_TEXT_COMPARED: Final = re.compile(
    "not supported between instances of (?:'str' and '(?:int|Number)'|'(?:int|Number)' and 'str')"
)
_COMPARE_ADVICE: Final = ". Write |float behind a text to compare it as a number."
_UNKNOWN_NAME_PREFIXES: Final = ("No filter named", "No test named")
# Parameters of the function that Jinja2 compiles for an unknown filter or test in a branch. Its
# frame has no position in the source.
_MISSING_FILTER_ARGUMENTS: Final = ("unused",)

_DEBUG_INFO: Final = re.compile(r"^debug_info = '([^']*)'", re.MULTILINE)
# By what Python says; groups of the pattern are filled in. Compiled code has `l_1_name` for `name`.
_REFUSALS: Final[Mapping[str, str]] = {
    r"keyword argument repeated: (\w+)": r"The argument '\1' is given twice.",
    r"duplicate (?:argument|parameter) '(?:l_\d+_)?(\w+)'.*": r"The parameter '\1' is given twice.",
    r"'(break|continue)' .*": r"The tag '\1' stands outside of a loop.",
    r"cannot assign to (__debug__)": r"The name '\1' cannot be used.",
    r"too many statically nested blocks": "Loops and includes are nested more than 20 deep.",
    r"too many nested parentheses|too many levels of indentation": (
        "The template is nested too deeply."
    ),
}


@dataclass(frozen=True, slots=True)
class TemplateFailure:
    """Failure of a template; the position is None where it is unknown."""

    code: str
    message: str
    line: int | None = None
    column: int | None = None
    excerpt: str | None = None


def compile_failure(
    error: CompileError, loader: TemplateLoader, environment: "TemplateEnvironment"
) -> TemplateFailure:
    """Return the failure of a compilation."""
    position = environment.position_lexer.position
    cause = error.__cause__
    assert isinstance(cause, Exception)
    if isinstance(cause, FuelError | CpuTimeError | MemoryError):
        return _failure_at("template_fuel_exhausted", _message(cause), loader, error.name, position)
    if not isinstance(cause, TemplateSyntaxError):
        # Python's own limits on nesting and on the digits of a number.
        is_too_long = isinstance(cause, ValueError) and not isinstance(cause, SyntaxError)
        message = _TOO_MANY_DIGITS if is_too_long else "The template is nested too deeply."
        return _failure_at("template_syntax_error", message, loader, error.name, position)
    code = "template_runtime_error" if _is_unknown_name(cause) else "template_syntax_error"
    message = _with_advice(_message(cause), loader.source_of(error.name), cause.lineno, environment)
    return _failure_at(code, message, loader, error.name, cause.lineno)


def runtime_failure(error: Exception, loader: TemplateLoader) -> TemplateFailure:
    """Return the failure of a run."""
    exhausted = isinstance(error, FuelError | CpuTimeError | MemoryError | RecursionError)
    code = "template_fuel_exhausted" if exhausted else "template_runtime_error"
    frame = _innermost_template_frame(error.__traceback__)
    if frame is None:
        return TemplateFailure(code, _message(error))
    template, line = frame
    position = template.get_corresponding_lineno(line)
    message = _message(error)
    if message.startswith(_UNKNOWN_NAME_PREFIXES):
        source = loader.source_of(template.name)
        message = _with_advice(message, source, position, template.environment)
    return _failure_at(code, message, loader, template.name, position)


def cpu_time_failure(error: CpuTimeError) -> TemplateFailure:
    """Return the failure of a run whose time has ended outside of its template."""
    return TemplateFailure("template_fuel_exhausted", _message(error))


def python_refusal(refusal: SyntaxError, code: str) -> TemplateSyntaxError:
    """Return the error of a template whose compiled `code` Python refuses, with its position."""
    lines = _DEBUG_INFO.findall(code)
    position = 1
    for pair in lines[-1].split("&") if lines and lines[-1] else ():
        template_position, _, code_line = pair.partition("=")
        if int(code_line) > (refusal.lineno or 0):
            break
        position = int(template_position)
    return TemplateSyntaxError(_refusal_message(refusal.msg), position)


def _with_advice(message: str, source: str, position: int, environment: Environment) -> str:
    names = {"filter": environment.filters, "test": environment.tests}
    found = advice(message, source, position, names)
    return message.removesuffix(".") + found if found.startswith(". ") else message + found


def _is_unknown_name(error: TemplateSyntaxError) -> bool:
    return isinstance(error, UnsupportedSyntaxError) or (
        isinstance(error, TemplateAssertionError)
        and _message(error).startswith(_UNKNOWN_NAME_PREFIXES)
    )


def _innermost_template_frame(traceback: TracebackType | None) -> tuple[Template, int] | None:
    innermost = None
    while traceback is not None:
        frame = traceback.tb_frame
        code = frame.f_code
        if code.co_filename == TEMPLATE_FILENAME and code.co_varnames != _MISSING_FILTER_ARGUMENTS:
            innermost = frame.f_globals["__jinja_template__"], traceback.tb_lineno
        traceback = traceback.tb_next
    return innermost


def _failure_at(
    code: str, message: str, loader: TemplateLoader, name: str | None, position: int
) -> TemplateFailure:
    source_place = source_position(loader.source_of(name), position)
    if name is not None:
        message = f"In the template {name}: {message}"
    return TemplateFailure(
        code, message, source_place.line, source_place.column, source_place.excerpt
    )


def _message(error: Exception) -> str:
    if isinstance(error, ArithmeticError):
        return _BY_ZERO if _is_of_zero(error) else _TOO_LARGE
    if isinstance(error, CpuTimeError):
        return f"The template used more than {limits.CPU_S:g} s of processor time."
    if isinstance(error, MemoryError):
        return f"The template needs more than {limits.MEMORY_BYTES:,} bytes of memory."
    if isinstance(error, RecursionError):
        return "The template calls itself too deeply."
    if isinstance(error, TemplatesNotFound):
        return f"None of {', '.join(map(str, error.templates))} is there. {INCLUDE_ADVICE}"
    text = _own_words(error)[:_MAX_MESSAGE_CHARACTERS]
    return _with_class_words(_MODULE_PREFIX.sub(r"'\1", text), error)


def _own_words(error: Exception) -> str:
    """Return the message of an error as Jinja2 or Python has it, with a remedy where known."""
    try:
        text = str(error)
    except TemplateRuntimeError as unprintable:  # An argument of the error is a function.
        text = str(unprintable)
    if isinstance(error, TemplateSyntaxError):
        text = error.message or ""
    if isinstance(error, ValueError) and text.startswith("Exceeds the limit"):
        text = _TOO_MANY_DIGITS
    if isinstance(error, TypeError) and _TEXT_COMPARED.search(text):
        text += _COMPARE_ADVICE
    return _OFFSET_SUFFIX.sub("", text or type(error).__name__)


def _is_of_zero(error: ArithmeticError) -> bool:
    # Decimals name the conditions of an invalid operation in a list.
    return isinstance(error, ZeroDivisionError) or (
        isinstance(error, InvalidOperation) and error.args == ([DivisionUndefined],)
    )


def _with_class_words(text: str, error: Exception) -> str:
    # Only messages of Python name classes elsewhere; a template's own names may be the same.
    names = _CLASS_NAME if isinstance(error, TypeError | AttributeError) else _TYPED_OBJECT
    return names.sub(lambda match: match[0].replace(match[1], _CLASS_WORDS[match[1]]), text)


def _refusal_message(python_message: str) -> str:
    for pattern, message in _REFUSALS.items():
        if match := re.fullmatch(pattern, python_message):
            return match.expand(message)
    return f"This cannot be compiled: {python_message}."
