"""Tolerated names: other ways to say a member of a request, which are read and never written.

They stand in this table alone. The description of the API shows our names, and
`docs/tolerated-names.md` lists these. Where both are given, the second one is an error.
"""

import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple, cast, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from chalicelib.core.json import Json, JsonObject

type Path = tuple[str, ...]
type Reader = Callable[[object], object]
type _Members = dict[str, object]
# Where a member stands in the order of its object, and so on for what it holds.
type Place = list[int]

ABSENT: Final = object()
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATA_URI: Final = re.compile(
    r"data:(?P<type>[^;,]*)(?:;[^;,]*)*;base64,(?P<content>.*)", re.DOTALL
)
# Renders are listed by the millisecond.
_TICK: Final = dt.timedelta(milliseconds=1)
_DAY: Final = dt.timedelta(days=1)


@dataclass(frozen=True)
class Values:
    """Other values of a member, each with ours; every other value stays as it is."""

    ours: Mapping[object, object]

    def __call__(self, value: object) -> object:
        """Return our value."""
        return self.ours.get(value, value) if isinstance(value, str | bool) else value


def _same(value: object) -> object:
    """Return the value as it is."""
    return value


def _only_entry(value: object) -> object:
    """Return the entry of a list of one."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _data(uri: object) -> object:
    """Return the base64 of a data URI."""
    found = _DATA_URI.fullmatch(uri) if isinstance(uri, str) else None
    if found is None:
        message = "must be a data URI in base64"
        raise ValueError(message)
    return found["content"]


def _media_type(uri: object) -> object:
    """Return the media type of a data URI."""
    found = _DATA_URI.fullmatch(uri) if isinstance(uri, str) else None
    return (found and found["type"]) or ABSENT


def _just_before(value: object) -> object:
    """Return the last moment before a time, or before a date begins."""
    text = str(value)
    moment = _moment(f"{text}T00:00:00Z" if _DATE.fullmatch(text) else text)
    return text if moment is None else _text(moment - _TICK)


def _just_behind(value: object) -> object:
    """Return the first moment after a time, or after a date has ended."""
    text = str(value)
    is_date = _DATE.fullmatch(text) is not None
    moment = _moment(f"{text}T00:00:00Z" if is_date else text)
    return text if moment is None else _text(moment + (_DAY if is_date else _TICK))


class Alias(NamedTuple):
    """Another way to say a member: `other` of `model` and its subclasses is read as `ours`.

    Both are names, with dots between those of an object and of its members; the same name twice is
    a member that has other values. `is_spare`: ours counts, where it is given too.
    """

    model: str
    other: str
    ours: str
    reads: Reader = _same
    is_spare: bool = False

    @property
    def other_path(self) -> Path:
        """Return the names of `other`, from the outside."""
        return tuple(self.other.split("."))

    @property
    def our_path(self) -> Path:
        """Return the names of `ours`, from the outside."""
        return tuple(self.ours.split("."))


ALIASES: Final = (
    # Renders.
    Alias("RenderRequest", "input.version", "version"),
    Alias("RenderRequest", "input.http", "output.http"),
    Alias("Convenience", "delivery.type", "delivery"),
    Alias("Convenience", "delivery.expires_in", "expires_in"),
    Alias("Convenience", "delivery.hosted", "hosted"),
    Alias("Convenience", "delivery.retention", "retention"),
    Alias("Convenience", "delivery.retention_days", "retention_days"),
    Alias("Convenience", "delivery.storage", "storage"),
    Alias("Convenience", "delivery.email", "email"),
    Alias("RenderQuery", "created[gte]", "created_after", _just_before),
    Alias("RenderQuery", "created[lte]", "created_before", _just_behind),
    Alias(
        "RenderFileQuery",
        "download",
        "disposition",
        Values({"true": "attachment", "false": ABSENT}),
    ),
    Alias("RenderFileQuery", "inline", "disposition", Values({"true": "inline", "false": ABSENT})),
    # Output.
    Alias("OutputSpec", "pdf.emulate_media", "media"),
    Alias("OutputSpec", "pdf.javascript", "javascript"),
    Alias("OutputSpec", "pdf.locale", "locale"),
    Alias("OutputSpec", "pdf.timezone", "timezone"),
    Alias("OutputSpec", "pdf.wait", "wait"),
    Alias("PdfOptions", "paper.size", "page_size"),
    Alias("PdfOptions", "paper.width", "width"),
    Alias("PdfOptions", "paper.height", "height"),
    Alias("PdfOptions", "orientation", "landscape", Values({"portrait": False, "landscape": True})),
    Alias("PdfOptions", "single_page", "height", Values({True: "auto", False: ABSENT})),
    Alias("PdfOptions", "protect", "protection"),
    Alias("PdfMetadata", "lang", "language"),
    Alias("Attachment", "name", "filename"),
    Alias("Attachment", "mime_type", "content_type"),
    Alias("Attachment", "data_uri", "content", _data),
    Alias("Attachment", "data_uri", "content_type", _media_type, is_spare=True),
    Alias("Wait", "until", "until", Values({"selector": "load", "delay": "load"})),
    Alias("MergeRequest", "bookmarks", "bookmarks", Values({"filenames": True, "none": False})),
    # Invoices.
    Alias("InvoiceBuyer", "identifiers", "identifier", _only_entry),
    Alias("InvoiceLine", "tax", "vat"),
    Alias("InvoiceDocumentAdjustment", "tax_category", "vat.category"),
    Alias("InvoiceDocumentAdjustment", "tax_rate", "vat.rate"),
    Alias("InvoiceCard", "account_number", "primary_account_number"),
    Alias("InvoiceCard", "holder", "holder_name"),
    # Templates and emails.
    Alias("TemplateRequest", "type", "type", Values({"pdf_code": "html"})),
    Alias("TemplateQuery", "type", "type", Values({"pdf_code": "html"})),
    Alias("TemplateContent", "header_footer.header", "header"),
    Alias("TemplateContent", "header_footer.footer", "footer"),
    Alias("EmailConnectionRequest", "provider", "provider", Values({"graph": "microsoft365"})),
    Alias("EmailConnectionChange", "provider", "provider", Values({"graph": "microsoft365"})),
)


@cache
def aliases_of(model: type) -> Sequence[Alias]:
    """Return the other ways to say members of a model."""
    names = {each.__name__ for each in model.__mro__}
    return tuple(alias for alias in ALIASES if alias.model in names)


def read_aliases(aliases: Iterable[Alias], members: JsonObject) -> JsonObject:
    """Return the members under our names; raise `ValidationError` where both names are given."""
    given = [each for each in aliases if _at(members, each.other_path) is not ABSENT]
    if not given:
        return members
    read = _without(members, given)
    for alias in sorted(given, key=lambda each: each.is_spare):
        value = _at(members, alias.other_path)
        if alias.other == alias.ours or _at(read, alias.our_path) is ABSENT:
            _put(read, alias, _read(alias, value))
        elif not alias.is_spare:
            raise _both(alias, members)
    return cast("JsonObject", read)


def in_our_names(model: type[BaseModel], members: JsonObject) -> JsonObject:
    """Return JSON that fits a model, with our names at every depth and its values as they are."""
    nested = _nested_models(model)
    return {
        name: _inner_in_our_names(nested[name], each) if name in nested else each
        for name, each in read_aliases(aliases_of(model), members).items()
    }


def _inner_in_our_names(model: type[BaseModel], value: Json) -> Json:
    if isinstance(value, list):
        return [_inner_in_our_names(model, each) for each in value]
    return in_our_names(model, value) if isinstance(value, dict) else value


@cache
def _nested_models(model: type[BaseModel]) -> Mapping[str, type[BaseModel]]:
    """Return the members of a model that are objects, or lists of objects."""
    found = {name: _model_in(field.annotation) for name, field in model.model_fields.items()}
    return {name: each for name, each in found.items() if each is not None}


def _model_in(hint: object) -> type[BaseModel] | None:
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        return hint
    return next(filter(None, map(_model_in, get_args(hint))), None)


def path_as_given(value: object, steps: Sequence[str | int]) -> tuple[Path, int] | None:
    """Return the names that a request has in place of ours, and how many steps they replace.

    None, if our names stand there.
    """
    for ours, other in _paths_by_first_step().get(steps[0], ()) if steps else ():
        is_meant = tuple(steps[: len(ours)]) == ours
        if is_meant and _at(value, ours) is ABSENT and _at(value, other) is not ABSENT:
            return other, len(ours)
    return None


@cache
def _paths_by_first_step() -> Mapping[str | int, Sequence[tuple[Path, Path]]]:
    """Return our paths and the other ones: a body may have thousands of faults."""
    found: dict[str | int, list[tuple[Path, Path]]] = {}
    for alias in ALIASES:
        if alias.other != alias.ours:
            paths = alias.our_path, alias.other_path
            found.setdefault(paths[0][0], []).append(paths)
    return found


def _read(alias: Alias, value: object) -> object:
    if value is None:
        return None
    try:
        return alias.reads(value)
    except OverflowError:
        raise _invalid(alias.other_path, "is beyond the years 1 to 9999", value) from None
    except ValueError as error:
        raise _invalid(alias.other_path, str(error), value) from None


def _put(members: _Members, alias: Alias, value: object) -> None:
    *outer, name = alias.our_path
    holder = members
    for each in outer:
        inner = holder.get(each)
        if inner is not None and not isinstance(inner, dict):
            # It has an error of its own.
            return
        # A copy, since the body stays as it was sent.
        holder[each] = copy = dict[str, object](inner or {})
        holder = copy
    if value is not ABSENT:
        holder[name] = value


def _both(alias: Alias, members: JsonObject) -> ValidationError:
    """Return the error of the second of two names; two aliases of one member are two as well."""
    ours = alias.our_path
    paths = [each.other_path for each in ALIASES if each.our_path == ours] + [ours]
    places = sorted(
        (_place(members, each), each) for each in paths if _at(members, each) is not ABSENT
    )
    (_, first), (_, second) = places[:2]
    message = f"says the same as {'.'.join(first)}: give one of them"
    return _invalid(second, message, _at(members, second))


def _place(members: JsonObject, path: Path) -> Place:
    place: Place = []
    holder: object = members
    for name in path:
        assert isinstance(holder, dict)
        place.append(list(holder).index(name))
        holder = holder[name]
    return place


def _invalid(path: Path, message: str, value: object) -> ValidationError:
    kind = PydanticCustomError("tolerated_name", "{error}", {"error": message})
    return ValidationError.from_exception_data(
        "", [InitErrorDetails(type=kind, loc=path, input=value)]
    )


def _at(value: object, path: Path) -> object:
    for name in path:
        if not isinstance(value, dict) or name not in value:
            return ABSENT
        value = value[name]
    return value


def _without(members: JsonObject, aliases: Iterable[Alias]) -> _Members:
    """Return a copy without what is read; an object that held nothing else goes with it."""
    copy: _Members = dict(members)
    for alias in aliases:
        *outer, name = alias.other_path
        holder = copy
        for each in outer:
            inner = dict(cast("_Members", holder.get(each) or {}))
            holder[each] = inner
            holder = inner
        holder.pop(name, None)
        if outer and not holder:
            copy.pop(outer[0])
    return copy


def _moment(text: str) -> dt.datetime | None:
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def _text(moment: dt.datetime) -> str:
    return moment.astimezone(dt.UTC).isoformat().replace("+00:00", "Z")
