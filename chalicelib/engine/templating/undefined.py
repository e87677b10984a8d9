"""Undefined values that a lenient run makes text of: which they are, and where."""

import re
import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Final, override

from jinja2 import Template
from jinja2.runtime import ChainableUndefined, Undefined
from jinja2.utils import missing

from chalicelib.engine.templating.loader import TEMPLATE_FILENAME, TemplateLoader
from chalicelib.engine.templating.positions import source_position
from chalicelib.engine.templating.undefined_value import MAX_UNDEFINED_VALUES, UndefinedValue

_MAX_NAME_CHARACTERS: Final = 100
_UNNAMED: Final = "an element"
# Of a name and its attributes, as the source has them.
_PATH: Final = re.compile(r"[^\W\d]\w*(?:\.\w+)*")


class UndefinedValues:
    """Undefined values of a run, the first of each name."""

    def __init__(self, loader: TemplateLoader) -> None:
        """Look positions up in the sources of `loader`."""
        self._loader = loader
        self.begin_run()

    def begin_run(self) -> None:
        """Forget the values of the run before."""
        self._names: set[object] = set()
        self._null_places: set[tuple[CodeType, int]] = set()
        self.values: list[UndefinedValue] = []

    def add(self, undefined: Undefined) -> None:
        """Note a value of which the running template makes text."""
        name, hint = undefined._undefined_name, undefined._undefined_hint  # noqa: SLF001 -- nothing else tells it
        # A subscript may be any value, also one without a hash.
        key = name if isinstance(name, str | int) else hint
        if key in self._names or len(self.values) >= MAX_UNDEFINED_VALUES:
            return
        self._names.add(key)
        frame = _template_frame(sys._getframe(1))  # noqa: SLF001 -- only the stack knows the place
        if frame is None:
            return
        template, position = _place(frame)
        place = source_position(self._loader.source_of(template.name), position)
        # The name of an element may be a value of the data, which a warning must not tell.
        is_variable = hint is None and undefined._undefined_obj is missing  # noqa: SLF001 -- as above
        is_told = isinstance(key, str) and (is_variable or key in place.excerpt)
        told = str(key)[:_MAX_NAME_CHARACTERS] if is_told else _UNNAMED
        self.values.append(UndefinedValue(told, template.name, place.line, place.column))

    def print_null(self, value: object) -> object:
        """Note a null of which the running template makes text, and return its text: nothing.

        Other values are returned as they are.
        """
        if value is not None:
            return value
        if len(self.values) < MAX_UNDEFINED_VALUES:
            frame = _template_frame(sys._getframe(1))  # noqa: SLF001 -- only the stack knows the place
            if frame is not None and (frame.f_code, frame.f_lineno) not in self._null_places:
                self._null_places.add((frame.f_code, frame.f_lineno))
                self._add_null(frame)
        return ""

    def _add_null(self, frame: FrameType) -> None:
        template, position = _place(frame)
        source = self._loader.source_of(template.name)
        path = _PATH.match(source, position - 1)
        name = _UNNAMED if path is None else path[0][:_MAX_NAME_CHARACTERS]
        if name not in self._names:
            self._names.add(name)
            place = source_position(source, position)
            self.values.append(
                UndefinedValue(name, template.name, place.line, place.column, is_null=True)
            )


def lenient_undefined(report: Callable[[Undefined], None]) -> type[ChainableUndefined]:
    """Return the class of undefined values that report when text is made of them."""

    class ReportedUndefined(ChainableUndefined):
        """Undefined value, printed as nothing."""

        __slots__ = ()

        @override
        def __str__(self) -> str:
            report(self)
            return ""

        # The text of a list has the __repr__ of its elements.
        __repr__ = __str__

    return ReportedUndefined


def _place(frame: FrameType) -> tuple[Template, int]:
    """Return the template of a frame, and the position that runs."""
    template: Template = frame.f_globals["__jinja_template__"]
    return template, template.get_corresponding_lineno(frame.f_lineno)


def _template_frame(frame: FrameType | None) -> FrameType | None:
    while frame is not None and frame.f_code.co_filename != TEMPLATE_FILENAME:
        frame = frame.f_back
    return frame
