"""Compiled templates: the one that runs and those that it includes."""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from jinja2 import Template
from jinja2.exceptions import TemplateNotFound, TemplateRuntimeError
from jinja2.runtime import Context, Undefined

from chalicelib.engine.templating import limits
from chalicelib.engine.templating.includes import Includes
from chalicelib.engine.templating.positions import with_newlines

if TYPE_CHECKING:
    from chalicelib.engine.templating.environment import TemplateEnvironment

type _Key = tuple["TemplateEnvironment", str | None, str]
type _Body = Callable[[Context], Iterator[str]]

FILENAME: Final = "<template>"
INSTEAD: Final = "Include a published template, or add 'ignore missing' to the tag."
_CACHED_TEMPLATES: Final = 64
_CACHED_CHARACTERS: Final = 4_000_000


class CompileError(Exception):
    """A source cannot be compiled; the cause says why."""

    def __init__(self, name: str | None) -> None:
        """Tell which one: an included template, or None for the one that runs."""
        super().__init__(name)
        self.name = name


class Library:
    """The templates of one run; remembers compiled ones, which depend on nothing else."""

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._compiled: OrderedDict[_Key, Template] = OrderedDict()
        self._characters = 0
        self.begin("", Includes())

    def begin(self, source: str, includes: Includes) -> None:
        """Begin another run, of this source."""
        self._includes = includes
        self._sources: dict[str | None, str] = {None: with_newlines(source)}
        self._ready: dict[str, Template] = {}
        self._active: list[str] = []

    def source(self, name: str | None) -> str:
        """Return a source with newlines only: an included one's, or that of what runs (None)."""
        if name not in self._sources:
            assert name is not None
            self._sources[name] = with_newlines(self._includes.sources[name])
        return self._sources[name]

    def template(self, language: "TemplateEnvironment", name: str | None = None) -> Template:
        """Return a template, ready to run; raises CompileError."""
        source = self.source(name)
        key = (language, name, source)
        if key in self._compiled:
            self._compiled.move_to_end(key)
            return self._compiled[key]
        try:
            template = self._compile(language, name, source)
        except Exception as error:
            raise CompileError(name) from error
        self._remember(key, template)
        return template

    def included(self, language: "TemplateEnvironment", name: str | Undefined) -> Template:
        """Return a template to include here.

        Raises CompileError, TemplateNotFound, and TemplateRuntimeError where it would not end.
        """
        if isinstance(name, Undefined):
            raise TemplateNotFound(name)
        if name not in self._includes.sources:
            raise TemplateNotFound(name, self._missing(name))
        if name in self._active:
            circle = " > ".join((*self._active[self._active.index(name) :], name))
            message = f"A template cannot include itself: {circle}. Take one of these tags out."
            raise TemplateRuntimeError(message)
        if len(self._active) == limits.INCLUDE_DEPTH:
            message = f"Includes can be nested {limits.INCLUDE_DEPTH} deep, not deeper."
            raise TemplateRuntimeError(message)
        language.meter.spend(limits.INCLUDE_FUEL)
        if name not in self._ready:
            self._ready[name] = self.template(language, name)
        template = self._ready[name]
        template._module = None  # noqa: SLF001 -- what it did elsewhere is done anew
        return template

    def _missing(self, name: str) -> str:
        why = self._includes.problems.get(
            name, f"The template {name} is not there: write its id as one plain string in the tag."
        )
        return f"{why} {INSTEAD}"

    def _compile(self, language: "TemplateEnvironment", name: str | None, source: str) -> Template:
        code = language.compile(source, name, FILENAME)
        template = Template.from_code(language, code, dict(language.globals))
        template.root_render_func.__globals__.update(language.runtime_names)
        if name is not None:
            entered: Any = self._entered(name, template.root_render_func)
            template.root_render_func = entered
        return template

    def _entered(self, name: str, body: _Body) -> _Body:
        def entered(context: Context) -> Iterator[str]:
            self._active.append(name)
            try:
                yield from body(context)
            finally:
                self._active.pop()

        return entered

    def _remember(self, key: _Key, template: Template) -> None:
        self._compiled[key] = template
        self._characters += len(key[2])
        while len(self._compiled) > _CACHED_TEMPLATES or self._characters > _CACHED_CHARACTERS:
            (_, _, source), _ = self._compiled.popitem(last=False)
            self._characters -= len(source)
