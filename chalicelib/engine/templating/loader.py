"""Loader of compiled templates: the one that runs, and those it includes, extends or imports."""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from jinja2 import Template
from jinja2.exceptions import TemplateNotFound, TemplateRuntimeError
from jinja2.runtime import Context, Undefined

from chalicelib.engine.templating import limits
from chalicelib.engine.templating.includes import Includes
from chalicelib.engine.templating.positions import normalize_newlines

if TYPE_CHECKING:
    from chalicelib.engine.templating.environment import TemplateEnvironment

type _CacheKey = tuple["TemplateEnvironment", str | None, str]
type _RootRenderFunction = Callable[[Context], Iterator[str]]

TEMPLATE_FILENAME: Final = "<template>"
INCLUDE_ADVICE: Final = "Include a published template, or add 'ignore missing' to the tag."
_NAME_ADVICE: Final = "Name a published template in the tag."
_MAX_CACHED_TEMPLATES: Final = 64
_MAX_CACHED_CHARACTERS: Final = 4_000_000


class _Running(NamedTuple):
    """Template whose body runs: by an include or import, or as the layout of another one."""

    name: str
    is_layout: bool


class CompileError(Exception):
    """Source that cannot be compiled; the cause has the reason."""

    def __init__(self, name: str | None) -> None:
        """Name an included, extended or imported template; None is the one that runs."""
        super().__init__(name)
        self.name = name


class TemplateLoader:
    """Loader of one run's templates; caches compiled ones, which depend on their source only."""

    def __init__(self) -> None:
        """Start with an empty cache."""
        self._compiled: OrderedDict[_CacheKey, Template] = OrderedDict()
        self._characters = 0
        self.begin_run("", Includes())

    def begin_run(self, source: str, includes: Includes) -> None:
        """Begin another run, of `source`."""
        self._includes = includes
        self._sources: dict[str | None, str] = {None: normalize_newlines(source)}
        self._included: dict[str, Template] = {}
        self._running: list[_Running] = []

    def source_of(self, name: str | None) -> str:
        """Return a source with normalized newlines; None names the template that runs."""
        if name not in self._sources:
            assert name is not None
            self._sources[name] = normalize_newlines(self._includes.sources[name])
        return self._sources[name]

    def load(self, environment: "TemplateEnvironment", name: str | None = None) -> Template:
        """Return a compiled template; raises CompileError."""
        source = self.source_of(name)
        # The environment is part of the key: escaping is compiled into the code.
        key = (environment, name, source)
        if key in self._compiled:
            self._compiled.move_to_end(key)
            return self._compiled[key]
        try:
            template = self._compile(environment, name, source)
        except Exception as error:
            raise CompileError(name) from error
        self._cache(key, template)
        return template

    def load_include(self, environment: "TemplateEnvironment", name: str | Undefined) -> Template:
        """Return a template to include at this point.

        Raises CompileError, TemplateNotFound, and TemplateRuntimeError for a circular or too deep
        include.
        """
        open_names = [each.name for each in self._running if not each.is_layout]
        return self._load_other(environment, name, open_names, INCLUDE_ADVICE)

    def load_import(self, environment: "TemplateEnvironment", name: str | Undefined) -> Template:
        """Return a template to import at this point; raises as `load_include`."""
        open_names = [each.name for each in self._running if not each.is_layout]
        return self._load_other(environment, name, open_names, _NAME_ADVICE)

    def load_layout(self, environment: "TemplateEnvironment", name: str | Undefined) -> Template:
        """Return the template that the running one extends; raises as `load_include`.

        A block of a layout may include a template that extends the same layout, so only the
        running template's own line of layouts is looked at. A circle over includes is found there.
        """
        line: list[str] = []
        for each in reversed(self._running):
            line.insert(0, each.name)
            if not each.is_layout:
                break
        return self._load_other(environment, name, line, _NAME_ADVICE)

    def _load_other(
        self,
        environment: "TemplateEnvironment",
        name: str | Undefined,
        open_names: Sequence[str],
        advice: str,
    ) -> Template:
        if isinstance(name, Undefined):
            raise TemplateNotFound(name)
        if name not in self._includes.sources:
            raise TemplateNotFound(name, self._missing_message(name, advice))
        if name in open_names:
            cycle = " > ".join((*open_names[open_names.index(name) :], name))
            message = f"A template cannot be part of itself: {cycle}. Take one of these tags out."
            raise TemplateRuntimeError(message)
        if len(self._running) == limits.INCLUDE_DEPTH:
            message = (
                f"Includes, layouts and imports can be nested {limits.INCLUDE_DEPTH} deep, "
                "not deeper."
            )
            raise TemplateRuntimeError(message)
        environment.meter.spend(limits.INCLUDE_FUEL)
        if name not in self._included:
            self._included[name] = self.load(environment, name)
        template = self._included[name]
        # Its blocks are copied into the context of each run.
        environment.meter.spend(len(template.blocks))
        template._module = None  # noqa: SLF001 -- each include runs the template anew
        return template

    def _missing_message(self, name: str, advice: str) -> str:
        reason = self._includes.problems.get(
            name, f"The template {name} is not there: write its id as one plain string in the tag."
        )
        return f"{reason} {advice}"

    def _compile(
        self, environment: "TemplateEnvironment", name: str | None, source: str
    ) -> Template:
        code = environment.compile(source, name, TEMPLATE_FILENAME)
        template = Template.from_code(environment, code, dict(environment.globals))
        template.root_render_func.__globals__.update(environment.runtime_names)
        if name is not None:
            template.root_render_func = self._with_running(name, template.root_render_func)
        return template

    def _with_running(self, name: str, body: _RootRenderFunction) -> _RootRenderFunction:
        def run(context: Context) -> Iterator[str]:
            # A layout runs with the context of the template that extends it.
            running = self._running
            running.append(_Running(name, is_layout=context.name != name))
            try:
                yield from body(context)
            finally:
                running.pop()

        return run

    def _cache(self, key: _CacheKey, template: Template) -> None:
        self._compiled[key] = template
        self._characters += len(key[2])
        while (
            len(self._compiled) > _MAX_CACHED_TEMPLATES or self._characters > _MAX_CACHED_CHARACTERS
        ):
            (_, _, source), _ = self._compiled.popitem(last=False)
            self._characters -= len(source)
