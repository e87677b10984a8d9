"""Tables of the options of a model of the contract."""

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple, get_args

import chalicelib.contract
from chalicelib.contract.base import Model
from chalicelib.contract.field_types import LENGTH_PATTERN
from chalicelib.contract.json_schemas import model_json_schemas
from chalicelib.contract.options.output import WarningCode
from chalicelib.contract.render.request import RenderRequest
from chalicelib.core.text import mismatch_message
from chalicelib.features.workspaces.plans import PLANS, Feature
from infra.guides.markdown import code, table

type Schema = dict[str, Any]

HEAD: Final = ("Option", "Type and values", "Default", "What it does")
# Members that need a feature of the plan, by their model and name.
PLAN_FEATURES: Final[Mapping[tuple[str, str], Feature]] = {
    ("PdfOptions", "pdfa"): "pdfa",
    ("PdfOptions", "pdfua"): "pdfua",
    ("OutputSpec", "einvoice"): "einvoices",
    ("DeliverySpec", "storage"): "storage",
    ("DeliverySpec", "email"): "email",
}
_REQUEST: Final = RenderRequest.__name__
_REF: Final = "#/$defs/{model}"
_NAME: Final = re.compile(r"([\w.]+)(?: (only|without) (.+))?")
_DEFAULT_IN_WORDS: Final = re.compile(r"\s*\bNull: (.+?)\.(?=\s|$)", re.DOTALL)
_WARNING_CODES: Final = list(get_args(WarningCode))
_PATTERN_MESSAGE: Final = "must be "
_TYPES: Final = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "boolean",
    "object": "object",
}


class _Row(NamedTuple):
    name: str
    kind: str
    default: str
    text: str


class _Branch(NamedTuple):
    """A schema that a member may have, below the path of the member."""

    schema: Schema
    suffix: str = ""


def options_table(name: str) -> str:
    """Return the table of the options that a name in a page means.

    The name is a model of the contract, such as `PdfOptions`, with a path to one of its objects if
    need be: `BatchRequest.webhook`. A name in lower case begins at the members of RenderRequest or
    of its `output`: `pdf.header`, `output.wait`, `delivery`. What follows the name chooses among
    its members: `pdf only watermark, protection`, `pdf without header, footer`.

    Objects inside are rows `a.b`, entries of a list `a[].b`. A second object of the same kind
    refers to the rows of the first one.
    """
    match = _NAME.fullmatch(name.strip())
    if match is None:
        message = f"{name}: a model, or a path such as RenderRequest.output.pdf, is expected"
        raise ValueError(message)
    path, choice, members = match.groups()
    chosen = tuple(each.strip() for each in members.split(",")) if members else ()
    is_chosen = {None: _every, "only": chosen.__contains__, "without": _none_of(chosen)}[choice]
    rows = _Writer(*_definitions(path)).rows(chosen, is_chosen)
    return table(HEAD, (row._replace(name=code(row.name)) for row in rows))


class _Writer:
    """Rows of the members of objects; `definitions` has the schemas that they refer to."""

    def __init__(
        self, path: str, targets: Sequence[str], definitions: Mapping[str, Schema]
    ) -> None:
        self._path = path
        self._targets = targets
        self._definitions = definitions
        self._is_chosen: Callable[[str], bool] = _every
        # Where the members of a model stand in this table.
        self._places: dict[str, str] = {}

    def rows(self, named: Sequence[str], is_chosen: Callable[[str], bool]) -> Iterator[_Row]:
        """Yield the rows of the chosen members of the objects that the path leads to.

        Raises ValueError for a named member that they do not have.
        """
        known = {name for each in self._targets for name in self._properties(each)}
        if unknown := [each for each in named if each not in known]:
            message = f"{self._path} has no {', '.join(unknown)}"
            raise ValueError(message)
        self._is_chosen = is_chosen
        yield from self._objects(self._targets, "")

    def _objects(self, models: Sequence[str], prefix: str) -> Iterator[_Row]:
        """Yield the members of the models of a union: what several have alike, once."""
        labels: dict[tuple[_Row, ...], list[str]] = {}
        constants = [self._constant(model) for model in models]
        for model, constant in zip(models, constants, strict=True):
            for group in self._groups(model, prefix, constant):
                labels.setdefault(group, []).append(constant[1] if constant else "")
        if constants[0] is not None and len(models) > 1:
            values = ", ".join(code(each[1]) for each in constants if each)
            text = "Says which of these objects it is."
            yield _Row(prefix + constants[0][0], values, "required", text)
        for (first, *inner), with_label in labels.items():
            is_partial = len(with_label) < len(models) and all(with_label)
            yield _only_with(with_label, first) if is_partial else first
            yield from inner

    def _constant(self, model: str) -> tuple[str, str] | None:
        """Return the member that tells a model from others, and its value."""
        found = [
            (name, str(schema["const"]))
            for name, schema in self._properties(model).items()
            if "const" in schema and "default" not in schema
        ]
        return found[0] if found else None

    def _groups(
        self, model: str, prefix: str, constant: tuple[str, str] | None
    ) -> Iterator[tuple[_Row, ...]]:
        self._places.setdefault(model, prefix)
        required = self._definitions[model].get("required", ())
        # The type of an object comes first, where a reader looks for it.
        members = sorted(self._properties(model).items(), key=lambda member: member[0] != "type")
        for name, schema in members:
            is_shown = bool(prefix) or self._is_chosen(name)
            if is_shown and (constant is None or name != constant[0]):
                row = self._row(model, prefix, name, is_required=name in required)
                yield row, *self._inner(schema, prefix + name)

    def _row(self, model: str, prefix: str, name: str, *, is_required: bool) -> _Row:
        schema = self._properties(model)[name]
        said = " ".join(schema.get("description", "").split())
        null = _DEFAULT_IN_WORDS.search(said)
        text = _DEFAULT_IN_WORDS.sub("", said).strip() if null else said
        in_words = null.group(1).strip() if null else ""
        default = "required" if is_required else in_words or self._default(schema)
        kind = " or ".join(dict.fromkeys(self._kinds(schema)))
        return _Row(prefix + name, kind, default, f"{text} {_plan(model, name, text)}")

    def _inner(self, schema: Schema, path: str) -> Iterator[_Row]:
        branches = [each for each in _branches(schema) if "$ref" in each.schema]
        for suffix in dict.fromkeys(each.suffix for each in branches):
            models = [_model_of(each.schema) for each in branches if each.suffix == suffix]
            new = [each for each in models if each not in self._places]
            if new:
                yield from self._objects(new, f"{path}{suffix}.")

    def _kinds(self, schema: Schema) -> Iterator[str]:
        for each in _alternatives(schema):
            if "$ref" in each:
                yield self._kind_of_object(_model_of(each))
            else:
                yield self._kind(each)

    def _kind_of_object(self, model: str) -> str:
        place = self._places.get(model)
        return "object" if place is None else f"object, with the members of {_place(place)}"

    def _kind(self, schema: Schema) -> str:
        if "const" in schema or "enum" in schema:
            values = [schema["const"]] if "const" in schema else schema["enum"]
            if values == _WARNING_CODES:
                return "code of a warning"
            return ", ".join(code(_json(each)) for each in values)
        kind = schema.get("type")
        if kind == "array":
            entries = " or ".join(dict.fromkeys(self._kinds(schema.get("items", {}))))
            bounds = _bounds(schema, "minItems", "maxItems", least=0)
            return f"list of {bounds}: {entries}" if bounds else f"list: {entries}"
        if kind == "object":
            return self._kind_of_map(schema)
        if kind in {"integer", "number"}:
            return _with_bounds(_TYPES[kind], _bounds(schema, "minimum", "maximum"))
        return _kind_of_text(schema) if kind == "string" else _TYPES.get(str(kind), "any value")

    def _kind_of_map(self, schema: Schema) -> str:
        entries = schema.get("additionalProperties")
        most = schema.get("maxProperties")
        kind = "object"
        if isinstance(entries, dict) and entries:
            kind = f"object of names with {' or '.join(dict.fromkeys(self._kinds(entries)))}"
        return f"{kind}; at most {most} members" if most else kind

    def _default(self, schema: Schema) -> str:
        default = schema.get("default")
        if default in (None, "") or isinstance(default, dict):
            return ""
        if default == []:
            return "none"
        values = default if isinstance(default, list) else [default]
        return ", ".join(code(_json(each)) for each in values)

    def _properties(self, model: str) -> Mapping[str, Schema]:
        members: Mapping[str, Schema] = self._definitions[model].get("properties", {})
        return members


def _definitions(path: str) -> tuple[str, list[str], dict[str, Schema]]:
    """Return a path with the models that it leads to, and all schemas below its model."""
    first, *steps = path.split(".")
    if first[:1].islower():
        steps = [first, *steps]
        first = _REQUEST
    model = _models().get(first)
    if model is None:
        message = f"{path}: the contract has no model {first}"
        raise ValueError(message)
    references, _, definitions = model_json_schemas([model], [], _REF)
    targets = [_model_of(references[model])]
    if first == _REQUEST and steps and steps[0] not in definitions[first]["properties"]:
        steps = ["output", *steps]
    for step in steps:
        members = [definitions[each].get("properties", {}).get(step) for each in targets]
        found = [branch for each in members if each for branch in _branches(each)]
        targets = list(dict.fromkeys(_model_of(b.schema) for b in found if "$ref" in b.schema))
        if not targets:
            message = f"{path}: {step} is no object"
            raise ValueError(message)
    return path, targets, definitions


@cache
def _models() -> Mapping[str, type[Model]]:
    """Return all models of the contract by their names."""
    package = chalicelib.contract
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
    return {each.__name__: each for each in _subclasses(Model)}


def _subclasses(base: type[Model]) -> Iterator[type[Model]]:
    for each in base.__subclasses__():
        yield each
        yield from _subclasses(each)


def _alternatives(schema: Schema) -> Iterator[Schema]:
    """Yield the types of a member, without null."""
    unions = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    if unions:
        for each in unions:
            yield from _alternatives(each)
    elif schema.get("type") != "null":
        yield schema


def _branches(schema: Schema) -> Iterator[_Branch]:
    """Yield the types of a member and those of its entries."""
    for each in _alternatives(schema):
        yield _Branch(each)
        entries = each.get("items") or each.get("additionalProperties")
        if isinstance(entries, dict):
            suffix = "[]" if "items" in each else ".*"
            yield from (_Branch(b.schema, suffix + b.suffix) for b in _branches(entries))


def _model_of(reference: Mapping[str, Any]) -> str:
    return str(reference["$ref"]).rpartition("/")[2]


def _place(prefix: str) -> str:
    return code(prefix.removesuffix(".")) if prefix else "this table"


def _kind_of_text(schema: Schema) -> str:
    if schema.get("pattern") == LENGTH_PATTERN:
        return "length, such as `20mm`"
    if schema.get("format") == "date-time":
        return "time (RFC 3339)"
    if schema.get("format") == "date":
        return "day, such as `2026-01-31`"
    form = mismatch_message(schema["pattern"]) if "pattern" in schema else ""
    if form.startswith(_PATTERN_MESSAGE):
        return f"text: {form.removeprefix(_PATTERN_MESSAGE)}"
    bounds = _bounds(schema, "minLength", "maxLength", least=1)
    return _with_bounds("text", f"{bounds} characters" if bounds else "")


def _bounds(schema: Schema, lowest: str, highest: str, least: float | None = None) -> str:
    """Return bounds in words; a lower one of `least` goes without saying."""
    low, high = schema.get(lowest), schema.get(highest)
    if low == least:
        low = None
    if low is None:
        return "" if high is None else f"at most {_number(high)}"
    return f"at least {_number(low)}" if high is None else f"{_number(low)} to {_number(high)}"


def _with_bounds(kind: str, bounds: str) -> str:
    return f"{kind}, {bounds}" if bounds else kind


def _json(value: object) -> str:
    """Return a value as JSON writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)


def _number(number: float) -> str:
    """Return a number with its digits in groups of three, which no line break parts."""
    whole = int(number)
    return f"{whole:,}".replace(",", "\N{NO-BREAK SPACE}") if whole == number else str(number)


def _every(_name: str) -> bool:
    return True


def _none_of(names: Sequence[str]) -> Callable[[str], bool]:
    return lambda name: name not in names


def _only_with(labels: Sequence[str], row: _Row) -> _Row:
    text = f"Only with {', '.join(map(code, labels))}: {_lower_first(row.text)}"
    return row._replace(text=text)


def _lower_first(text: str) -> str:
    """Return a sentence for the place behind a colon."""
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def _plan(model: str, name: str, text: str) -> str:
    feature = PLAN_FEATURES.get((model, name))
    if feature is None:
        return ""
    first = next(plan.code for plan in PLANS.values() if feature in plan.features)
    return "" if code(first) in text else f"From plan {code(first)}."
