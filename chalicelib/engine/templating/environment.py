"""Template language: Jinja2's sandbox over plain JSON data, with fuel for all repeated work."""

import functools
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from operator import index
from types import CodeType, MethodType
from typing import Any, Final, NoReturn, TypeGuard, cast, override

from jinja2 import Template
from jinja2.exceptions import SecurityError
from jinja2.lexer import Lexer
from jinja2.runtime import Context, StrictUndefined, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace, concat, generate_lorem_ipsum, object_type_repr

from chalicelib.engine.templating import limits
from chalicelib.engine.templating.compiler import MeteredCodeGenerator
from chalicelib.engine.templating.failures import python_refusal
from chalicelib.engine.templating.filters.locale_settings import LocaleSettings
from chalicelib.engine.templating.filters.registry import document_filters
from chalicelib.engine.templating.filters.values import (
    TEXT_FILTERS,
    is_float,
    json_number,
    value_filters,
)
from chalicelib.engine.templating.fuel import FuelError, FuelMeter, MappingView, MeteredIterable
from chalicelib.engine.templating.loader import TemplateLoader
from chalicelib.engine.templating.methods import (
    DATA_METHODS,
    RUNTIME_ATTRIBUTES,
    Method,
    format_method,
    missing_method_hint,
)
from chalicelib.engine.templating.number import literal
from chalicelib.engine.templating.operators import OPERATORS, Operators
from chalicelib.engine.templating.positions import PositionLexer
from chalicelib.engine.templating.runtime import (
    Block,
    ImportedModule,
    MeteredLoop,
    SelfReference,
    TemplateContext,
    UnprintableCycler,
    UnprintableJoiner,
    UnprintableMacro,
    UnprintableNamespace,
)
from chalicelib.engine.templating.undefined import UndefinedValues, lenient_undefined
from chalicelib.engine.templating.unprintable import Printer, PrintNull, Unprintable

type _Function = Callable[..., object]

_CALLABLE_TYPES: Final = frozenset(
    {Method, UnprintableMacro, MeteredLoop, UnprintableJoiner, Block}
)
_CONSTRUCTORS: Final[Mapping[str, type]] = {
    "dict": dict,
    "cycler": UnprintableCycler,
    "joiner": UnprintableJoiner,
    "namespace": UnprintableNamespace,
}
_MISSING: Final = object()
_INDEXABLE_TYPES: Final = (dict, list, tuple, str, range, Undefined, SelfReference)
_COLLECTION_TYPES: Final = (dict, list, tuple, range, MappingView)
_MAX_WORDS_POSITION: Final = 2
# Keyword arguments that compiled code adds for functions that take the context. Methods do not.
_SCOPE_ARGUMENTS: Final = ("_loop_vars", "_block_vars")

_CHARGED_BY_RESULT: Final = frozenset(
    [
        "attr",
        "count",
        "d",
        "default",
        "e",
        "escape",
        "first",
        "forceescape",
        "last",
        "length",
        "random",
        "safe",
        "string",
    ]
)
"""Filters that do not iterate over their argument."""


class TemplateEnvironment(ImmutableSandboxedEnvironment):
    """Sandbox whose look-ups never leave plain data and whose work costs fuel."""

    code_generator_class = MeteredCodeGenerator
    context_class = TemplateContext
    intercepted_binops = frozenset(OPERATORS)

    def __init__(
        self,
        meter: FuelMeter,
        loader: TemplateLoader,
        locale_settings: LocaleSettings,
        undefined_values: UndefinedValues,
        *,
        strict: bool,
        escape: bool = True,
    ) -> None:
        """Build the language; `strict` makes undefined values errors, `escape` is for HTML."""
        printer = Printer(undefined_values.print_null)
        super().__init__(
            autoescape=escape,
            optimized=False,
            undefined=StrictUndefined if strict else lenient_undefined(undefined_values.add),
            finalize=printer.finalize,
            extensions=("jinja2.ext.do", "jinja2.ext.loopcontrols"),
        )
        self.meter = meter
        self.print_null = undefined_values.print_null
        self.operators = Operators(meter, self.print_null)
        self.template_loader = loader
        self.found_ids = frozenset[str]()
        self.layout = Method(functools.partial(loader.load_layout, self), meter)
        self.metered = Method(lambda iterable: MeteredIterable(iterable, meter), meter)
        self.concat = functools.partial(_concat, meter)  # type: ignore[method-assign]
        self.policies["json.dumps_kwargs"] = {
            "sort_keys": True,
            "allow_nan": False,
            "default": json_number,
        }
        print_null = self.print_null
        self.filters.update(document_filters(locale_settings, meter, print_null))
        self.filters.update(value_filters(self, self.operators, print_null))
        self.tests["float"] = is_float
        self.filters = {
            name: _metered_function(
                meter, name, cast("_Function", it), print_null if name in TEXT_FILTERS else None
            )
            for name, it in self.filters.items()
        }
        self.tests = {
            name: _metered_function(meter, name, cast("_Function", it))
            for name, it in self.tests.items()
        }
        self.globals |= {name: Method(it, meter) for name, it in _CONSTRUCTORS.items()}
        self.globals["range"] = Method(_affordable_range, meter)
        self.globals["lipsum"] = Method(functools.partial(_lorem_ipsum, meter), meter)
        self.runtime_names: Mapping[str, object] = {
            "charge_operation": meter.charge_operation,
            "html_text": printer.html_text,
            "import_module": self._import_module,
            "lookup": self.getattr,
            "literal": literal,
            "plain_text": printer.plain_text,
            "LoopContext": functools.partial(MeteredLoop, meter),
            "Macro": UnprintableMacro,
            "TemplateReference": SelfReference,
            **self.operators.joins(),
        }

    @functools.cached_property
    def position_lexer(self) -> PositionLexer:
        """Lexer whose last position locates an unexpected error."""
        return PositionLexer(self)

    @property
    @override
    def lexer(self) -> Lexer:
        return self.position_lexer

    @override
    def handle_exception(self, source: str | None = None) -> NoReturn:
        # Jinja2 would rewrite the traceback with the position in the place of a line number.
        raise  # noqa: PLE0704 -- called while an exception is handled

    @override
    def _load_template(self, name: str | Undefined, globals: object) -> Template:
        return self.template_loader.load_include(self, name)

    @override
    def _compile(self, source: str, filename: str) -> CodeType:
        try:
            return super()._compile(source, filename)
        except SyntaxError as refusal:
            raise python_refusal(refusal, source) from refusal

    @override
    def getattr(self, obj: object, attribute: str) -> object:
        kind = type(obj)
        if type(obj) is dict:
            value = obj.get(attribute, _MISSING)
            if value is not _MISSING:
                return value
        if attribute in DATA_METHODS.get(kind, ()):
            return Method(getattr(obj, attribute), self.meter)
        if attribute in RUNTIME_ATTRIBUTES.get(kind, ()):
            value = getattr(obj, attribute)
            return Method(value, self.meter) if isinstance(value, MethodType) else value
        return self._runtime_attribute(obj, attribute)

    @override
    def getitem(self, obj: object, argument: Any) -> object:
        if isinstance(obj, _INDEXABLE_TYPES):
            try:
                return obj[argument]
            except (TypeError, LookupError):
                # Filters look up `grouper` and `list` of a group as items.
                if type(obj) not in RUNTIME_ATTRIBUTES:
                    return self.undefined(_missing_item_hint(obj, argument), obj=obj, name=argument)
        if isinstance(argument, str):
            return self.getattr(obj, argument)
        return self.undefined(_missing_item_hint(obj, argument), obj=obj, name=argument)

    @override
    def call(self, context: Context, obj: object, /, *args: object, **kwargs: object) -> object:
        self.meter.spend()
        if type(obj) is Method:
            for name in _SCOPE_ARGUMENTS:
                kwargs.pop(name, None)
            return obj(*args, **kwargs)
        if not self.is_safe_callable(obj):
            message = f"{type(obj).__name__!r} object is not callable"
            raise SecurityError(message)
        return context.call(obj, *args, **kwargs)

    @override
    def call_binop(self, context: Context, operator: str, left: object, right: object) -> object:
        return self.operators.apply(operator, left, right)

    @override
    def is_safe_callable(self, obj: object) -> TypeGuard[_Function]:
        return type(obj) in _CALLABLE_TYPES or isinstance(obj, Undefined)

    def _import_module(
        self,
        name: str | Undefined,
        context: Context | None = None,
        variables: Mapping[str, object] | None = None,
    ) -> ImportedModule:
        """Return the macros and variables of a template, run with or without a context."""
        template = self.template_loader.load_import(self, name)
        own = (
            template.new_context()
            if context is None
            else template.new_context(context.get_all(), shared=True, locals=variables)
        )
        deque(template.root_render_func(own), maxlen=0)
        return ImportedModule(template.name, own.get_exported())

    def _runtime_attribute(self, obj: object, attribute: str) -> object:
        if isinstance(obj, Undefined | SelfReference):
            return self.getitem(obj, attribute)
        if isinstance(obj, str) and attribute == "format":
            return Method(format_method(self, obj, self.print_null), self.meter)
        missing = self.undefined(missing_method_hint(obj, attribute), obj=obj, name=attribute)
        if isinstance(obj, ImportedModule) and not attribute.startswith("_"):
            return vars(obj).get(attribute, missing)
        if isinstance(obj, Namespace) and not attribute.startswith("_"):
            return getattr(obj, attribute, missing)
        return missing


def _missing_item_hint(obj: object, argument: object) -> str | None:
    # Jinja2's own message has the text of the argument.
    if not isinstance(argument, Unprintable):
        return None
    return f"{object_type_repr(obj)} has no element that is named by a function"


def _metered_function(
    meter: FuelMeter, name: str, function: _Function, print_null: PrintNull | None = None
) -> _Function:
    iterates = name not in _CHARGED_BY_RESULT
    subject_index = 0 if getattr(function, "jinja_pass_arg", None) is None else 1

    @functools.wraps(function)
    def call_metered(*args: object, **kwargs: object) -> object:
        if len(args) > subject_index:
            subject = args[subject_index]
            if subject is None and print_null is not None:
                args = (*args[:subject_index], print_null(None), *args[subject_index + 1 :])
            elif iterates and isinstance(subject, _COLLECTION_TYPES):
                meter.spend(len(subject))
        return meter.charge_result(function(*args, **kwargs))

    return call_metered


def _concat(meter: FuelMeter, parts: Iterable[str]) -> str:
    text = concat(parts)
    meter.charge_text(len(text))
    return text


def _affordable_range(*bounds: int) -> range:
    steps = range(*bounds)
    if steps[limits.FUEL :]:
        message = f"A range may have at most {limits.FUEL:,} steps."
        raise FuelError(message)
    return steps


def _lorem_ipsum(meter: FuelMeter, n: int = 5, *args: Any, **options: Any) -> str:
    words = options.get("max", args[2] if len(args) > _MAX_WORDS_POSITION else 100)
    # A negative factor must not refund fuel, and two of them must not make a large number.
    meter.spend(max(index(n), 0) * max(index(words), 0))
    return generate_lorem_ipsum(n, *args, **options)
