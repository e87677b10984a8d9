"""Every bound of the render request's JSON Schema, tested at, below and above it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, override

import pytest

from chalicelib.contract.render.request import RenderQuery, RenderRequest
from chalicelib.contract.validation import read_body
from chalicelib.core.errors import ServiceError

SCHEMA: Final = RenderRequest.model_json_schema()
# Properties that a request with this property also needs.
INPUTS: Final[dict[str, dict[str, Any]]] = {
    "HtmlInput": {"type": "html", "html": "<p>"},
    "UrlInput": {"type": "url", "url": "https://example.com/"},
    "TemplateInput": {"type": "template", "template_id": "tpl"},
}
BESIDE: Final[dict[str, dict[str, Any]]] = {
    **INPUTS,
    "AssetSpec": {"path": "a.png", "content": "QQ=="},
    "Attachment": {"content": "QQ==", "filename": "a"},
    "BasicAuth": {"username": "a", "password": "b"},
    "ContentSource": {"content": "QQ=="},
    "Cookie": {"name": "a", "value": "b"},
    "Protection": {"user_password": "a"},
    "StorageTargetSpec": {"destination_id": "dst_a"},
    "Watermark": {"text": "a"},
    "WebhookSpec": {"url": "https://example.com/"},
}
# Properties of which exactly one may be given.
INSTEAD: Final = {
    "ContentSource": ("upload_id", "url", "content"),
    "Attachment": ("upload_id", "url", "content"),
    "AssetSpec": ("upload_id", "content"),
    "HtmlInput": ("html", "upload_id"),
    "Watermark": ("text", "image"),
}
# The bounds of the contract: minimum and maximum of a number, of the characters of a text or
# of the entries of a list.
STATED: Final[dict[str, tuple[float | None, float | None]]] = {
    "delivery/expires_in": (60, 604_800),
    "delivery/retention_days": (1, 36_500),
    "output/filename": (None, 255),
    "output/http/basic_auth/password": (None, 1024),
    "output/http/basic_auth/username": (None, 256),
    "output/http/cookies": (None, 50),
    "output/http/cookies/0/domain": (None, 253),
    "output/http/cookies/0/name": (1, 256),
    "output/http/cookies/0/path": (None, 1024),
    "output/http/cookies/0/value": (None, 4096),
    "output/http/headers": (None, 50),
    "output/http/user_agent": (None, 512),
    "output/image/clip_selector": (1, 500),
    "output/image/format_options/quality": (1, 100),
    "output/image/height": (1, 10_000),
    "output/image/scale": (1, 3),
    "output/image/viewport/width": (1, 10_000),
    "output/image/wait/timeout_ms": (100, 60_000),
    "output/image/width": (1, 10_000),
    "output/pdf/attachments": (None, 20),
    "output/pdf/header/html": (None, 200_000),
    "output/pdf/first_header/left": (None, 2000),
    "output/pdf/footer/center": (None, 2000),
    "output/pdf/last_footer/right": (None, 2000),
    "output/pdf/scale": (0.1, 2),
    "output/pdf/watermark/angle": (-180, 180),
    "output/pdf/watermark/opacity": (0, 1),
    "output/viewport/device_scale_factor": (1, 3),
    "output/viewport/height": (1, 10_000),
    "output/viewport/width": (1, 10_000),
    "output/wait/delay_ms": (0, 10_000),
    "output/wait/timeout_ms": (100, 60_000),
    "input/assets": (None, 50),
    "input/assets/0/path": (1, 255),
    "input/template_id": (1, 64),
    "reference": (None, 255),
}
# A text of n characters that matches its pattern.
TEXTS: Final = {
    "engine": None,
    "language": None,
    "url": lambda n: ("https://a" + "a" * n)[:n],
    "content": lambda n: "QQ==" * (n // 4) if n % 4 == 0 else "A" * n,
    "color": None,
    "content_type": lambda n: ("a/" + "b" * n)[:n] if n > 2 else None,
}


@dataclass(frozen=True)
class Bound:
    """A property: its path from the request's root, and the schema of its value."""

    way: tuple[str | int, ...]
    model: str
    name: str
    schema: Mapping[str, Any]

    @override
    def __str__(self) -> str:
        return "/".join(map(str, self.way))


def bounds(reference: str, way: tuple[str | int, ...]) -> Iterator[Bound]:
    """Yield every property with bounds, at any depth."""
    model = SCHEMA["$defs"][reference] if reference else SCHEMA
    for name, schema in model.get("properties", {}).items():
        for branch in branches(schema):
            inner = refers_to(branch)
            if branch.get("type") in {"integer", "number", "string", "array", "object"}:
                yield Bound((*way, name), reference, name, branch)
            if inner == "EInvoiceSpec":
                # test_invoice.py covers the bounds of invoices.
                continue
            if inner:
                yield from bounds(inner, (*way, name))
            elif branch.get("type") == "array" and refers_to(branch["items"]):
                yield from bounds(refers_to(branch["items"]), (*way, name, 0))


def branches(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return list(schema.get("anyOf") or schema.get("oneOf") or [schema])


def refers_to(schema: Mapping[str, Any]) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2]


def request_with(bound: Bound, value: Any) -> dict[str, Any]:
    """Return the smallest request in which the property has this value."""
    request: dict[str, Any] = {"input": dict(INPUTS["HtmlInput"])}
    if bound.way[0] == "input":
        request["input"] = dict(INPUTS[_input_of(bound)])
    place: Any = request
    reference = ""
    for n, step in enumerate(bound.way[:-1]):
        following = bound.way[n + 1]
        if isinstance(step, int):
            continue
        parent, reference = reference, _model_of(reference, step, bound)
        beside = dict(BESIDE.get(reference, {}))
        if isinstance(following, int):
            place[step] = [beside]
            place = place[step][0]
        else:
            _make_room(place, parent, step)
            place = place.setdefault(step, beside)
    _make_room(place, bound.model, bound.name)
    place[bound.name] = value
    return request


def _make_room(place: dict[str, Any], model: str, name: str) -> None:
    """Remove properties that exclude this one."""
    if name in INSTEAD.get(model, ()):
        for other in INSTEAD[model]:
            place.pop(other, None)


def _input_of(bound: Bound) -> str:
    """Return the input with the bound; assets are those of several."""
    return bound.model if bound.model in INPUTS else "HtmlInput"


def _model_of(reference: str, step: str, bound: Bound) -> str:
    if step == "input":
        return _input_of(bound)
    model = SCHEMA["$defs"][reference] if reference else SCHEMA
    for branch in branches(model["properties"][step]):
        found = refers_to(branch) or refers_to(branch.get("items", {}))
        if found:
            return found
    raise AssertionError(reference, step)


def values(bound: Bound) -> Iterator[tuple[Any, bool]]:
    """Yield values at and just beyond the bounds, and whether they are allowed."""
    schema = bound.schema
    if schema["type"] in {"integer", "number"}:
        step = 1 if schema["type"] == "integer" else 0.001
        if "minimum" in schema:
            yield schema["minimum"], True
            yield schema["minimum"] - step, False
        if "maximum" in schema:
            yield schema["maximum"], True
            yield schema["maximum"] + step, False
    elif schema["type"] == "string":
        yield from texts(bound)
    elif schema["type"] == "array" and "maxItems" in schema:
        yield entries(bound, schema["maxItems"]), True
        yield entries(bound, schema["maxItems"] + 1), False
    elif schema["type"] == "object" and "maxProperties" in schema:
        yield {f"k{n}": "v" for n in range(schema["maxProperties"])}, True
        yield {f"k{n}": "v" for n in range(schema["maxProperties"] + 1)}, False


def texts(bound: Bound) -> Iterator[tuple[Any, bool]]:
    make = TEXTS.get(bound.name, lambda n: "x" * n)
    if make is None or (bound.name not in TEXTS and "pattern" in bound.schema):
        return
    least, most = bound.schema.get("minLength", 0), bound.schema.get("maxLength")
    if most is not None:
        yield make(most), True
        yield make(most + 1), False
    if least and make(least) is not None:
        yield make(least), True
        yield make(least - 1), False


def entries(bound: Bound, count: int) -> list[Any]:
    item = bound.schema["items"]
    if refers_to(item):
        return [dict(BESIDE[refers_to(item)]) for _ in range(count)]
    if "enum" in item:
        return list((item["enum"] * count)[:count])
    return ["x"] * count


CASES: Final = [
    pytest.param(bound, value, allowed, id=f"{bound}-{n}-{'at' if allowed else 'beyond'}")
    for bound in (
        *bounds("", ()),
        *(found for name in INPUTS for found in bounds(name, ("input",))),
    )
    if str(bound) != "output/formats"
    for n, (value, allowed) in enumerate(values(bound))
]


@pytest.mark.parametrize(("bound", "value", "allowed"), CASES)
def test_bound_holds_exactly(bound: Bound, value: Any, *, allowed: bool) -> None:
    request = request_with(bound, value)
    raw = json.dumps(request).encode()

    if allowed:
        read_body(RenderRequest, raw, request)
        return
    with pytest.raises(ServiceError) as refused:
        read_body(RenderRequest, raw, request)
    assert refused.value.code == "validation_error"
    assert "/" + str(bound) in [error.path for error in refused.value.errors]


def test_bounds_are_those_of_the_contract() -> None:
    tried: list[Any] = [case.values[0] for case in CASES]
    found = {str(bound): _stated(bound.schema) for bound in tried}

    assert len(CASES) > 150
    assert {way: found.get(way) for way in STATED} == STATED


def _stated(schema: Mapping[str, Any]) -> tuple[Any, Any]:
    kinds = ("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems")
    for least, most in (*kinds, ("minProperties", "maxProperties")):
        if least in schema or most in schema:
            return schema.get(least), schema.get(most)
    raise AssertionError(schema)


def test_repeated_statuses_count_once() -> None:
    query = RenderQuery.model_validate_strings({"status": ",".join(["queued", "failed"] * 100)})

    assert query.status == ("queued", "failed")
