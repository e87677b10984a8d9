"""Every bound of every request model, tested at the bound and just beyond it."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAliasType, get_args

import pytest
from pydantic import BaseModel

from chalicelib.api.routes import ENDPOINTS
from chalicelib.contract.base import Model
from chalicelib.contract.emails.provider_event import ProviderEvents
from chalicelib.contract.emails.providers import PROVIDER_MODELS
from chalicelib.contract.storage.providers import STORE_MODELS
from chalicelib.contract.template.scene import Scene
from chalicelib.contract.validation import read_body, read_query
from chalicelib.core.errors import ServiceError
from chalicelib.core.json import Json
from tests.builders.storage_destinations import ED25519, PRIVATE_KEY

QUERIES: Final = {row.query_model for row in ENDPOINTS if row.query_model}
# Scenes, and settings of email providers and stores, are sent as any object and validated later.
PROVIDERS: Final = {
    model for models in (*PROVIDER_MODELS.values(), *STORE_MODELS.values()) for model in models
}
# Events of a provider are any objects.
_BODIES: Final = {row.body_model for row in ENDPOINTS if row.body_model} - {ProviderEvents}
BODIES: Final = _BODIES | {Scene} | PROVIDERS
LENGTHS: Final = ("minLength", "maxLength"), ("minItems", "maxItems")
BOUNDS: Final = {"minimum", "maximum", "maxProperties", "propertyNames", "pattern"}.union(*LENGTHS)
_AMOUNT: Final = r"^-?[0-9]{1,10}(?:\.[0-9]{1,%s})?$"
# Texts that match a pattern at its bounds, and just beyond.
PATTERNS: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    _AMOUNT % 2: (("9999999999.99", "-0"), ("10000000000", "0.999", ".9", "1e3", "")),
    _AMOUNT % 6: (("9999999999.999999", "-0"), ("10000000000", "0.9999999", "")),
    r"^[a-z]{2,3}(?:-[a-z]+){1,3}-[0-9]$": (
        ("eu-central-1", "us-gov-west-1"),
        ("eu", "eu-central", "eu-central-12", "EU-central-1"),
    ),
    "^[A-Za-z0-9_-]{1,64}$": (("a", "a" * 64), ("", "a" * 65, "a b")),
    "^[A-Za-z0-9.-]{1,255}$": (("a", "a" * 255), ("", "a" * 256, "a/b")),
    "^[A-Za-z0-9-]{1,64}$": (("a", "a" * 64), ("", "a" * 65, "a.b")),
    "^[a-z0-9-]{1,64}$": (("auto", "x" * 64), ("", "x" * 65, "EU", "a.b")),
    "^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$": (
        ("abc", "a" * 63, "a.b-c"),
        ("ab", "a" * 64, "-abc", "abc.", "aBc", "a_c"),
    ),
    "^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$": (
        ("abc", "a" * 222, "a.b_c"),
        ("ab", "a" * 223, "_abc", "aBc"),
    ),
    "^[a-z0-9]{3,24}$": (("abc", "a" * 24), ("ab", "a" * 25, "a-c", "Abc")),
    r"^(?:\$root|\$web|[a-z0-9](?:-?[a-z0-9]){2,62})$": (
        ("$root", "$web", "abc", "a" * 63, "a-b-c"),
        ("ab", "a" * 64, "a-" * 31 + "ab", "a--b", "abc-", "$logs"),
    ),
    "^[0-9]{2,3}$": (("380", "71"), ("3", "3800", "")),
    "^[A-Z]{3}$": (("EUR",), ("EU", "EURO", "eur", "")),
    "^(?:[A-Z]{2}|1A)$": (("DE", "1A"), ("D", "DEU", "de", "1B", "")),
    "^[A-Z0-9]{3}$": (("AAI",), ("AA", "AAAI", "aai", "")),
    "^[A-Z0-9]{1,3}$": (("A", "C62"), ("C620", "c62", "")),
    r"^[0-9]{4}\.[0-9]{1,6}$": (("2026.1", "2026.123456"), ("2026.", "026.1", "2026.1234567")),
    r"^[A-Za-z0-9+/\s]+=*\s*$": (("QQ==",), ("", "=", "Q!==")),
    r"^data:application/pdf(?:;[^;,]*)*;base64,[A-Za-z0-9+/\s]+=*\s*$": (
        ("data:application/pdf;base64,QQ==", "data:application/pdf;a=b;base64,QQ"),
        ("", "data:application/pdf,QQ==", "data:application/pdf;base64,", "data:;base64,QQ=="),
    ),
    r"^(?:0|[0-9]{1,6}(?:\.[0-9]{1,4})?(?:mm|cm|in|px|pt|pc))$": (
        ("0", "1mm", "1.1234cm"),
        ("", "1", "1234567mm", "1.12345mm", "1em", "-1mm"),
    ),
}


def _color(length: int) -> str:
    return f"{'rgb(0 0 0'.ljust(length - 1)})"


def _address(length: int) -> str:
    return f"a@{'.'.join(['b' * 49] * 9)}"[: length - 3].rstrip(".").ljust(length - 3, "b") + ".de"


def _recipient(length: int) -> str:
    return f"{'N' * (length - 11)} <ada@b.de>"[-length:]


def _page_ranges(length: int) -> str:
    return "1," * ((length - 1) // 2) + "1" * (2 - length % 2)


def _host_key(length: int) -> str:
    return f"{ED25519} ".ljust(length, "c") if length > len(ED25519) else ED25519


def _private_key(length: int) -> str:
    head, _, foot = PRIVATE_KEY.partition("\n")
    return f"{head}\n{'A' * (length - len(head) - len(foot) - 1)}{foot}"[:length]


# A text of n characters that is valid except for its length.
TEXTS: Final[dict[str, Callable[[int], str]]] = {
    "url": lambda n: ("https://a" + "a" * n)[:n],
    "data_url": lambda n: ("https://a" + "a" * n)[:n],
    "content_type": lambda n: ("a/" + "b" * n)[:n],
    **dict.fromkeys(("color", "fill", "stroke", "background"), _color),
    **dict.fromkeys(("email", "reply_to", "test_recipient", "sender", "send_to"), _address),
    **dict.fromkeys(("item of to", "item of cc", "item of bcc"), _recipient),
    **dict.fromkeys(("from_email",), _address),
    "account_key": lambda n: "A" * n,
    "endpoint": lambda n: ("https://a" + "a" * n)[:n],
    "host": lambda n: ("a." * n)[: n - 1] + "a",
    "host_key": _host_key,
    "private_key": _private_key,
    "sas_token": lambda n: "sig=".ljust(n, "x"),
    "language": lambda n: ("abc" + "-abcdefgh" * 4)[:n],
    **dict.fromkeys(("page_ranges", "pages", "item of ranges"), _page_ranges),
}
_RECIPIENTS: Final = ("to", "cc", "bcc")
# What a property is refused without.
BESIDE: Final[dict[str, dict[str, Any]]] = {"csv_mapping": {"csv_upload_id": "upl_1"}}
# Values within a bound that another rule refuses.
NARROWER: Final = {
    f"EmailRuleTestRequest.to: {'x' * 40}",
    "InvoiceVat.rate: 9999999999.999999",
    *(f"EmailTarget.{name}: ['>']" for name in ("to", "cc", "bcc")),
    "PdfOptions.height: 0",
    "PdfOptions.width: 0",
    "Stamp.font_size: 0",
    "Watermark.font_size: 0",
}


class Case(NamedTuple):
    """A value of one property, and whether the property accepts it."""

    model: type[BaseModel]
    name: str
    value: Any
    allowed: bool


def models(kinds: set[type[BaseModel]]) -> list[type[BaseModel]]:
    """Return these models and all nested ones."""
    found: dict[str, type[BaseModel]] = {}
    waiting = list(kinds)
    while waiting:
        kind = waiting.pop()
        if kind.__name__ not in found:
            found[kind.__name__] = kind
            fields = kind.model_fields.values()
            waiting += [inner for field in fields for inner in inside(field.annotation)]
    return [found[name] for name in sorted(found)]


def inside(annotation: Any) -> Iterator[type[BaseModel]]:
    if annotation is Json:  # The caller's own, and recursive.
        return
    if isinstance(annotation, TypeAliasType):
        yield from inside(annotation.__value__)
    elif isinstance(annotation, type) and issubclass(annotation, Model):
        yield annotation
    else:
        for argument in get_args(annotation):
            yield from inside(argument)


def bounded(model: type[BaseModel]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the name and the schema of each branch of a property that has a bound."""
    own = model.model_json_schema()
    # A recursive model contains a reference to itself.
    own = own["$defs"][model.__name__] if "$ref" in own else own
    # Objects of queries come key by key: `metadata[customer]`.
    keyed = getattr(model, "keyed", ())
    for name, schema in own["properties"].items():
        if name in keyed:
            continue
        for branch in schema.get("anyOf") or schema.get("oneOf") or [schema]:
            if branch.keys() & BOUNDS:
                yield name, branch


def values(name: str, branch: Mapping[str, Any]) -> Iterator[tuple[Any, bool]]:
    """Yield values at and just beyond the bounds."""
    match branch["type"]:
        case "integer" | "number" as kind:
            yield from numbers(branch, 1 if kind == "integer" else 0.001)
        case "string":
            yield from texts(name, branch)
        case "array":
            yield from arrays(name, branch)
        case "object":
            yield from objects(branch)


def numbers(branch: Mapping[str, Any], step: float) -> Iterator[tuple[Any, bool]]:
    for bound, sign in (("minimum", -1), ("maximum", 1)):
        if bound in branch:
            yield branch[bound], True
            yield branch[bound] + sign * step, False


def texts(name: str, branch: Mapping[str, Any]) -> Iterator[tuple[Any, bool]]:
    taken, refused = PATTERNS.get(branch.get("pattern", ""), ((), ()))
    yield from ((text, True) for text in taken)
    yield from ((text, False) for text in refused)
    if not taken:
        make = TEXTS.get(name, "x".__mul__)
        yield from ((make(n) if n else "", allowed) for n, allowed in lengths(branch))


def lengths(branch: Mapping[str, Any]) -> Iterator[tuple[int, bool]]:
    for least, most in LENGTHS:
        if most in branch:
            yield from ((branch[most], True), (branch[most] + 1, False))
        if least in branch:
            yield from ((branch[least], True), (branch[least] - 1, False))


def arrays(name: str, branch: Mapping[str, Any]) -> Iterator[tuple[Any, bool]]:
    item = branch["items"]
    for count, allowed in lengths(branch):
        if item.get("type") == "string":
            words = item.get("enum", [_one_item(name)]) * count
            yield words[:count], allowed
        elif not allowed:
            # Nested models have separate cases and need not be complete here.
            yield [{}] * count, allowed
    if item.get("type") == "string" and "enum" not in item:
        yield from (([text], allowed) for text, allowed in texts(f"item of {name}", item))


def _one_item(name: str) -> str:
    return "ada@b.de" if name in _RECIPIENTS else "1" if name == "ranges" else "x"


def objects(branch: Mapping[str, Any]) -> Iterator[tuple[Any, bool]]:
    if "maxProperties" in branch:
        most = branch["maxProperties"]
        yield {f"k{n}": "v" for n in range(most)}, True
        yield {f"k{n}": "v" for n in range(most + 1)}, False
    names = branch.get("propertyNames", {})
    if "enum" in names:
        yield {"unknown": {}}, False
    yield from (({"x" * n: "v"}, allowed) for n, allowed in lengths(names))
    inner = [branch.get("additionalProperties"), *branch.get("patternProperties", {}).values()]
    for member in filter(None, inner):
        for one in member.get("anyOf", [member]):
            yield from (({"k": text}, allowed) for text, allowed in texts("", one))


def findings(model: type[BaseModel], name: str, value: Any) -> list[str]:
    """Return the refused locations below a property."""
    sent = {**BESIDE.get(name, {}), name: value}
    try:
        if model in QUERIES:
            read_query(model, {name: str(value)})
        else:
            read_body(model, json.dumps(sent).encode(), sent)
    except ServiceError as refused:
        return [e.path for e in refused.errors if re.match(rf"(/query)?/{name}(/|$)", e.path)]
    return []


CASES: Final = [
    Case(model, name, value, allowed)
    for model in models(QUERIES | BODIES)
    for name, branch in bounded(model)
    for value, allowed in values(name, branch)
]


def test_value_at_a_bound_is_accepted() -> None:
    refused = {
        f"{model.__name__}.{name}: {str(value)[:40]}"
        for model, name, value, allowed in CASES
        if allowed and findings(model, name, value)
    }

    assert len(CASES) > 1_300
    assert refused == NARROWER


def test_value_beyond_a_bound_is_refused_by_name() -> None:
    taken = {
        f"{model.__name__}.{name}: {str(value)[:40]}"
        for model, name, value, allowed in CASES
        if not allowed and not findings(model, name, value)
    }

    assert taken == set()


@pytest.mark.parametrize("model", models(QUERIES | BODIES), ids=lambda model: model.__name__)
def test_every_bounded_property_is_tested_beyond_its_bounds(model: type[BaseModel]) -> None:
    tried = {case.name for case in CASES if case.model is model and not case.allowed}

    assert tried == {name for name, _ in bounded(model)}
