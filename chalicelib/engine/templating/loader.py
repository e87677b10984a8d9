"""Loader of compiled templates: the main template, and all that it includes, extends or imports."""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from jinja2 import Template, nodes
from jinja2.exceptions import TemplateNotFound, TemplateRuntimeError
from jinja2.runtime import Context, Undefined

from chalicelib.engine.templating import limits
from chalicelib.engine.templating.compiler import UnsupportedSyntaxError, static_template_names
from chalicelib.engine.templating.includes import Includes, included_template_ids
from chalicelib.engine.templating.positions import normalize_newlines

if TYPE_CHECKING:
    from chalicelib.engine.templating.environment import TemplateEnvironment

type _CacheKey = tuple["TemplateEnvironment", str | None, str]
type _NamingTag = nodes.Include | nodes.Extends | nodes.Import | nodes.FromImport
type _RootRenderFunction = Callable[[Context], Iterator[str]]

TEMPLATE_FILENAME: Final = "<template>"
INCLUDE_ADVICE: Final = "Include a published template, or add 'ignore missing' to the tag."
_NAME_ADVICE: Final = "Name a published template in the tag."
_NAMING_TAGS: Final = (nodes.Include, nodes.Extends, nodes.Import, nodes.FromImport)
_MAY_NOT_RUN: Final = (nodes.If, nodes.For, nodes.Macro, nodes.CallBlock)
_TOO_DEEP: Final = (
    f"Includes, layouts and imports can be nested {limits.INCLUDE_DEPTH} deep, not deeper."
)
_MAX_CACHED_TEMPLATES: Final = 64
_MAX_CACHED_CHARACTERS: Final = 4_000_000


class _Running(NamedTuple):
    """Template whose body runs: by an include or import, or as the layout of another one."""

    name: str
    is_layout: bool


class CompileError(Exception):
    """Source that cannot be compiled; the cause has the reason."""

    def __init__(self, name: str | None) -> None:
        """Name an included, extended or imported template; the main template has no name."""
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

    def check_names(self, environment: "TemplateEnvironment") -> None:
        """Compile the templates that every run of the source loads.

        Raises CompileError if one cannot be compiled, is missing, includes itself or is nested too
        deep. Tags that may not run are left out: those in conditions, loops and macros, and in
        blocks of a layout, which the template that extends it may replace.
        """
        self._check_names_of(environment, None, [], is_layout=False, heights={})

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
            raise TemplateRuntimeError(_circle_message(name, open_names))
        if len(self._running) == limits.INCLUDE_DEPTH:
            raise TemplateRuntimeError(_TOO_DEEP)
        environment.meter.spend(limits.INCLUDE_FUEL)
        if name not in self._included:
            self._included[name] = self.load(environment, name)
        template = self._included[name]
        # Its blocks are copied into the context of each run.
        environment.meter.spend(len(template.blocks))
        template._module = None  # noqa: SLF001 -- each include runs the template anew
        return template

    def _check_names_of(
        self,
        environment: "TemplateEnvironment",
        name: str | None,
        open_names: list[str],
        *,
        is_layout: bool,
        heights: dict[tuple[str | None, bool], int],
    ) -> int:
        """Return how many templates are nested below one; each is looked at once."""
        key = (name, is_layout)
        if key in heights:
            return heights[key]
        self.load(environment, name)
        height = 0
        for tag in _naming_tags(environment.parse(self.source_of(name), name), is_layout=is_layout):
            for each in self._names_there(tag, name):
                if each in open_names:
                    raise _name_error(_circle_message(each, open_names), tag, name)
                extends = isinstance(tag, nodes.Extends)
                below = self._check_names_of(
                    environment, each, [*open_names, each], is_layout=extends, heights=heights
                )
                height = max(height, below + 1)
            if len(open_names) + height > limits.INCLUDE_DEPTH:
                raise _name_error(_TOO_DEEP, tag, name)
        heights[key] = height
        return height

    def _names_there(self, tag: _NamingTag, name: str | None) -> list[str]:
        """Return the templates that a tag of the template `name` can run."""
        if isinstance(tag.template, nodes.CondExpr):
            return []
        names = static_template_names(tag.template)
        there = [each for each in names if each in self._includes.sources]
        is_choice = isinstance(tag.template, nodes.List | nodes.Tuple)
        if (isinstance(tag, nodes.Include) and tag.ignore_missing) or (is_choice and there):
            return there
        for each in names:
            if each not in there:
                advice = INCLUDE_ADVICE if isinstance(tag, nodes.Include) else _NAME_ADVICE
                raise _name_error(self._missing_message(each, advice), tag, name)
        return there

    def _missing_message(self, name: str, advice: str) -> str:
        reason = self._includes.problems.get(
            name, f"The template {name} is not there: write its id as one plain string in the tag."
        )
        return f"{reason} {advice}"

    def _compile(
        self, environment: "TemplateEnvironment", name: str | None, source: str
    ) -> Template:
        environment.found_ids = frozenset(included_template_ids(source))
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


def _naming_tags(tree: nodes.Template, *, is_layout: bool) -> Iterator[_NamingTag]:
    """Yield the tags of a template that run in any case."""
    extends = any(isinstance(node, nodes.Extends) for node in tree.body)
    # Another template may replace a block of a layout, or have no place for one.
    skipped = (*_MAY_NOT_RUN, nodes.Block) if is_layout or extends else _MAY_NOT_RUN
    pending: list[tuple[nodes.Node, bool]] = [(tree, not extends)]
    while pending:
        node, is_printed = pending.pop()
        if isinstance(node, _NAMING_TAGS) and (is_printed or not isinstance(node, nodes.Include)):
            yield node
        is_printed = is_printed or isinstance(node, nodes.Block)
        children = [*node.iter_child_nodes()] if not isinstance(node, skipped) else []
        pending += [(child, is_printed) for child in reversed(children)]


def _name_error(message: str, tag: _NamingTag, name: str | None) -> CompileError:
    error = CompileError(name)
    error.__cause__ = UnsupportedSyntaxError(message, tag.lineno, name, TEMPLATE_FILENAME)
    return error


def _circle_message(name: str, open_names: Sequence[str]) -> str:
    circle = " > ".join((*open_names[open_names.index(name) :], name))
    return f"A template cannot be part of itself: {circle}. Take one of these tags out."
