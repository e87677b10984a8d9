"""One run: source and plain data in, text or a fault with its place out."""

import random
from collections.abc import Mapping
from typing import Any, Final

from jinja2 import Template

from chalicelib.engine.templating import faults, limits
from chalicelib.engine.templating.environment import TemplateEnvironment
from chalicelib.engine.templating.faults import Fault
from chalicelib.engine.templating.filters.conventions import Conventions
from chalicelib.engine.templating.filters.habits import Habits
from chalicelib.engine.templating.fuel import FuelError, Meter
from chalicelib.engine.templating.includes import Includes
from chalicelib.engine.templating.library import CompileError, Library

_NO_INCLUDES: Final = Includes()
_NO_HABITS: Final = Habits()


class Renderer:
    """Runs templates one after the other."""

    def __init__(self) -> None:
        """Build the strict and the lenient language over one meter, for HTML and for plain text."""
        self._meter = Meter()
        self._library = Library()
        self._conventions = Conventions()
        self._languages = {
            (strict, escape): TemplateEnvironment(
                self._meter, self._library, self._conventions, strict=strict, escape=escape
            )
            for strict in (False, True)
            for escape in (False, True)
        }

    def render(
        self,
        source: str,
        data: Mapping[str, Any],
        *,
        strict: bool,
        escape: bool = True,
        includes: Includes = _NO_INCLUDES,
        habits: Habits = _NO_HABITS,
    ) -> str | Fault:
        """Return the text of the template, or the fault that ended it; `escape`: it is HTML."""
        self._meter.refill()
        random.seed(0)  # Equal requests give equal bytes.
        language = self._languages[strict, escape]
        self._library.begin(source, includes)
        parts = self._conventions.begin(source, habits)
        try:
            return _joined(self._library.template(language), data, parts)
        except CompileError as error:
            return faults.of_source(error, self._library, language.position_lexer.position)
        except Exception as error:  # noqa: BLE001 -- whatever a hostile template provokes
            return faults.of_run(error, self._library)


def _joined(template: Template, data: Mapping[str, Any], parts: list[str]) -> str:
    room = limits.OUTPUT_BYTES
    stream: Any = template.root_render_func(template.new_context(dict(data)))
    write = parts.append
    for part in stream:
        write(part)
        room -= len(part)
        if room < 0:
            stream.throw(_output_error())  # Raised at the place that wrote too much.
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
