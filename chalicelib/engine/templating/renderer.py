"""One run: source and plain data in, text or a fault with its place out."""

import random
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final

from jinja2 import Template
from jinja2.exceptions import (
    TemplateAssertionError,
    TemplateNotFound,
    TemplateSyntaxError,
)

from chalicelib.engine.templating import limits
from chalicelib.engine.templating.environment import TemplateEnvironment
from chalicelib.engine.templating.fuel import FuelError, Meter
from chalicelib.engine.templating.positions import place, with_newlines

_FILENAME: Final = "<template>"
_CACHED_TEMPLATES: Final = 64
_CACHED_CHARACTERS: Final = 4_000_000
_MESSAGE_CHARACTERS: Final = 500


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a template gave no text; the place is absent where it cannot be known."""

    code: str
    message: str
    line: int | None = None
    column: int | None = None
    excerpt: str | None = None


class Renderer:
    """Runs templates one after the other; remembers compiled ones, which depend on nothing else."""

    def __init__(self) -> None:
        """Build the strict and the lenient language over one meter, for HTML and for plain text."""
        self._meter = Meter()
        self._languages = {
            (strict, escape): TemplateEnvironment(self._meter, strict=strict, escape=escape)
            for strict in (False, True)
            for escape in (False, True)
        }
        self._compiled: OrderedDict[tuple[TemplateEnvironment, str], Template] = OrderedDict()

    def render(
        self, source: str, data: Mapping[str, Any], *, strict: bool, escape: bool = True
    ) -> str | Fault:
        """Return the text of the template, or the fault that ended it; `escape`: it is HTML."""
        self._meter.refill()
        random.seed(0)  # Equal requests give equal bytes.
        text = with_newlines(source)
        language = self._languages[strict, escape]
        try:
            template = self._template(language, text)
        except Exception as error:  # noqa: BLE001 -- whatever Jinja2 or Python makes of a hostile source
            return _compile_fault(error, text, language.position_lexer.position)
        try:
            return _joined(template, data)
        except Exception as error:  # noqa: BLE001 -- whatever a hostile template provokes
            return _run_fault(error, text, template)

    def _template(self, language: TemplateEnvironment, source: str) -> Template:
        key = (language, source)
        if key in self._compiled:
            self._compiled.move_to_end(key)
            return self._compiled[key]
        code = language.compile(source, filename=_FILENAME)
        template = Template.from_code(language, code, dict(language.globals))
        template.root_render_func.__globals__.update(language.runtime_names)
        self._remember(key, template)
        return template

    def _remember(self, key: tuple[TemplateEnvironment, str], template: Template) -> None:
        self._compiled[key] = template
        while (
            len(self._compiled) > _CACHED_TEMPLATES
            or sum(len(source) for _, source in self._compiled) > _CACHED_CHARACTERS
        ):
            self._compiled.popitem(last=False)


def _joined(template: Template, data: Mapping[str, Any]) -> str:
    parts = []
    room = limits.OUTPUT_BYTES
    stream: Any = template.root_render_func(template.new_context(dict(data)))
    for part in stream:
        room -= len(part)
        if room < 0:
            stream.throw(_output_error())  # Raised at the place that wrote too much.
        parts.append(part)
    text = _well_formed("".join(parts))
    if not text.isascii() and len(text.encode()) > limits.OUTPUT_BYTES:
        raise _output_error()
    return text


def _output_error() -> FuelError:
    return FuelError(f"The template wrote more than {limits.OUTPUT_BYTES:,} bytes.")


def _well_formed(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _compile_fault(error: Exception, source: str, position: int) -> Fault:
    if isinstance(error, FuelError | MemoryError):
        return _fault("template_fuel_exhausted", _message(error), source, position)
    if not isinstance(error, TemplateSyntaxError):
        # Python's own limits on nesting and on the digits of a number.
        too_long = isinstance(error, ValueError) and not isinstance(error, SyntaxError)
        message = (
            "A number has too many digits." if too_long else "The template is nested too deeply."
        )
        return _fault("template_syntax_error", message, source, position)
    unknown_name = isinstance(error, TemplateAssertionError) and _message(error).startswith(
        ("No filter named", "No test named"),
    )
    code = "template_runtime_error" if unknown_name else "template_syntax_error"
    return _fault(code, _message(error), source, error.lineno)


def _run_fault(error: Exception, source: str, template: Template) -> Fault:
    exhausted = isinstance(error, FuelError | MemoryError | RecursionError)
    return _fault(
        "template_fuel_exhausted" if exhausted else "template_runtime_error",
        _message(error),
        source,
        _position(error.__traceback__, template),
    )


def _position(traceback: TracebackType | None, template: Template) -> int | None:
    position = None
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == _FILENAME:
            position = template.get_corresponding_lineno(traceback.tb_lineno)
        traceback = traceback.tb_next
    return position


def _fault(code: str, message: str, source: str, position: int | None) -> Fault:
    if position is None:
        return Fault(code, message)
    where = place(source, position)
    return Fault(code, message, where.line, where.column, where.excerpt)


def _message(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return f"The template needs more than {limits.MEMORY_BYTES:,} bytes of memory."
    if isinstance(error, RecursionError):
        return "The template calls itself too deeply."
    if isinstance(error, TemplateNotFound):
        return f"There is no template {error.name!r} to include."
    text = error.message if isinstance(error, TemplateSyntaxError) else str(error)
    return (text or type(error).__name__)[:_MESSAGE_CHARACTERS]
