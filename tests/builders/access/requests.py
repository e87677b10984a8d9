"""Requests of every route that carry one id in one field."""

import copy
import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from tests.builders.access.objects import Objects
from tests.builders.invoices.invoice_json import invoice_json
from tests.builders.pdfs.requests import TOOL_OPTIONS, tool_request

MEMBER: Final = "dev@example.com"
# Kinds of the objects at `{id}`, by the first part of the path.
_RESOURCES: Final[Mapping[str, str]] = {
    "renders": "render",
    "uploads": "upload",
    "batches": "batch",
    "email-connections": "connection",
    "email-rules": "rule",
    "email-sends": "send",
    "storage-destinations": "destination",
    "signed-links": "link",
    "templates": "template",
    "webhook-endpoints": "endpoint",
    "webhook-deliveries": "delivery",
}
_KINDS: Final[Mapping[str, str]] = {
    "template_id": "template",
    "template_ids": "template",
    "connection_id": "connection",
    "destination_id": "destination",
    "dataset_id": "dataset",
    "rule_id": "rule",
    "render_id": "render",
    "batch_id": "batch",
    "endpoint_id": "endpoint",
    "file_id": "file",
    "upload_id": "upload",
    "csv_upload_id": "upload of csv",
    "{ds}": "dataset",
}
# What an object that is made for an id needs besides, by the last name of its place.
_BESIDE: Final[Mapping[str, Mapping[str, Any]]] = {
    "assets": {"path": "a.txt"},
    "attachments": {"filename": "a.txt"},
    "supporting_documents": {"id": "1", "filename": "a.pdf", "content_type": "application/pdf"},
}
# Objects that name a content in one of several ways.
_CHOICES: Final = frozenset({"source", "stamp", "watermark"})
# What must be there for an answer that is not empty, by route.
_NEEDED: Final[Mapping[str, str]] = {
    "GET /v1/renders": "render",
    "GET /v1/batches": "batch",
    "GET /v1/templates/{id}/email-rules": "rule",
    "GET /v1/email-sends": "send",
    "GET /v1/webhook-deliveries": "delivery",
    "GET /v1/templates/{id}/datasets": "dataset",
    "POST /v1/templates/{id}/infer-schema": "dataset",
}
_OF_PDF: Final = re.compile(r".*/(source|sources/\*|stamp|supporting_documents/\*)/upload_id")
_OF_PNG: Final = re.compile(r".*/image/upload_id")


class AccessRequest(NamedTuple):
    """Request without its key."""

    method: str
    target: str
    body: Any = None


def kind_of(route: str, field: str) -> str:
    """Return the kind of object that a field names."""
    if field == "{id}":
        return _RESOURCES[route.split("/")[2]]
    if _OF_PDF.fullmatch(field):
        return "upload of pdf"
    if _OF_PNG.fullmatch(field):
        return "upload of png"
    return _KINDS[field if field[0] == "{" else re.split("[/?]", field)[-1]]


def access_request(route: str, field: str | None, own: Objects, other: Objects) -> AccessRequest:
    """Return a request whose `field` names an object of `other`, all else is the caller's own.

    Without a `field` everything is the caller's own.
    """
    method, _, path = route.partition(" ")
    if route in _NEEDED:
        other.id_of(_NEEDED[route])
    if "{id}" in path:
        at_path = other if field == "{id}" else own
        path = path.replace("{id}", at_path.id_of(_RESOURCES[path.split("/")[2]]))
        beside = other if field in {"{id}", "{ds}"} else own
        path = path.replace("{ds}", beside.id_of("dataset") if "{ds}" in path else "")
    path = path.replace("{number}", "1")
    if field is not None and field[0] == "?":
        return AccessRequest(method, f"{path}{field}={quote(other.id_of(kind_of(route, field)))}")
    body = _body(route, own)
    if field is not None and field.startswith("/output/einvoice"):
        body["output"] = {"einvoice": {"profile": "EN16931", "invoice": invoice_json()}}
    elif field is not None and field.startswith("/einvoice"):
        body["einvoice"] = {"profile": "EN16931", "invoice": invoice_json()}
    if field is not None and field[0] == "/":
        body = body or {}
        _put(body, field.split("/")[1:], other.id_of(kind_of(route, field)))
        if field == "/csv_upload_id":
            del body["items"]
    return AccessRequest(method, path, body)


def _body(route: str, own: Objects) -> Any:
    """Return the least body that a route takes, with the caller's own ids."""
    path = route.rpartition(" ")[2]
    if path.startswith("/v1/pdf-tools/"):
        return tool_request(path.split("/")[3], mode="async")
    if path in _BODIES_WITH_TEMPLATE:
        return copy.deepcopy(_BODIES_WITH_TEMPLATE[path](own.id_of("template")))
    if route == "POST /v1/email-rules/preview":
        rule = {"connection_id": own.id_of("connection"), "to": "a@example.com", "subject": "A"}
        return {"template_id": own.id_of("template"), "rule": rule}
    if route == "POST /v1/templates/{id}/email-rules":
        return {
            "name": "A",
            "connection_id": own.id_of("connection"),
            "to": "a@example.com",
            "subject": "A",
        }
    return copy.deepcopy(_BODIES.get(route))


def _put(body: dict[str, Any], steps: list[str], value: str) -> None:
    """Put an id at its place; of a choice between ways to name a content it becomes the one."""
    at: Any = body
    for number, step in enumerate(steps[:-1]):
        if step == "*":
            at = at[0]
            continue
        if step in _CHOICES or step not in at:
            at[step] = _beside(steps, number)
        elif isinstance(at[step], list):
            # Merging needs two sources, of which one stays.
            at[step] = [*_beside(steps, number), *at[step][1:]]
        at = at[step]
    name = steps[-1]
    at.pop("html" if name == "upload_id" else "", None)
    if name == "template_id" and at.get("type") == "html":
        at.clear()
        at["type"] = "template"
    at[name] = [value] if name.endswith("_ids") else value


def _beside(steps: list[str], number: int) -> Any:
    """Return the new object of a step, or the list with one."""
    is_list = steps[number + 1] == "*"
    made = {**_BESIDE.get(steps[number], {})}
    return [made] if is_list else made


_HTML: Final = {"type": "html", "html": "<p>x"}
_BODIES: Final[Mapping[str, Any]] = {
    "POST /v1/renders": {"input": _HTML, "mode": "async"},
    "POST /v1/renders/preflight": {"input": _HTML},
    "POST /v1/pdf/from-html": {"html": "<p>x", "mode": "async"},
    "POST /v1/images/from-html": {"html": "<p>x", "mode": "async"},
    "POST /v1/pdf/from-url": {"url": "https://example.com/", "mode": "async"},
    "POST /v1/images/from-url": {"url": "https://example.com/", "mode": "async"},
    "POST /v1/einvoices": {"profile": "EN16931", "invoice": invoice_json(), "mode": "async"},
    "POST /v1/einvoices/preflight": {"profile": "EN16931", "invoice": invoice_json()},
    "POST /v1/einvoices/validate": {},
    "POST /v1/batches/{id}/resend-emails": {"statuses": ["failed"]},
    "POST /v1/uploads": {"filename": "a.html", "content_type": "text/html", "bytes": 5},
    "POST /v1/templates": {"name": "A", "html": "<p>x"},
    "PATCH /v1/templates/{id}": {"name": "B"},
    "PUT /v1/templates/{id}/draft": {"html": "<p>x"},
    "POST /v1/templates/{id}/publish": {},
    "POST /v1/templates/{id}/rollback": {"version": 1},
    "POST /v1/templates/{id}/datasets": {"name": "B", "data": {}},
    "POST /v1/templates/{id}/compare": {"from": 1, "to": 9},
    "PUT /v1/templates/{id}/datasets/{ds}": {"name": "B", "data": {}},
    "PATCH /v1/storage-destinations/{id}": {"name": "B"},
    "PATCH /v1/email-connections/{id}": {"name": "B"},
    "POST /v1/email-connections/{id}/test": {},
    "PATCH /v1/email-rules/{id}": {"name": "B"},
    "POST /v1/email-rules/{id}/preview": {},
    "POST /v1/email-rules/{id}/test": {"to": MEMBER},
    "PATCH /v1/signed-links/{id}": {"name": "B"},
    "POST /v1/signed-links/{id}/sign": {"name": "a", "format": "png"},
    "POST /v1/webhook-endpoints": {"url": "https://hooks.example.com/"},
    "PATCH /v1/webhook-endpoints/{id}": {"description": "B"},
    "POST /v1/webhook-endpoints/{id}/test": {"event": "render.failed"},
}
_BODIES_WITH_TEMPLATE: Final[Mapping[str, Any]] = {
    "/v1/pdf/from-template": lambda id_: {"template_id": id_, "mode": "async"},
    "/v1/images/from-template": lambda id_: {"template_id": id_, "mode": "async"},
    "/v1/batches": lambda id_: {"template_id": id_, "items": [{"data": {}}]},
    "/v1/signed-links": lambda id_: {"name": "A", "template_id": id_},
}
TOOLS: Final = tuple(TOOL_OPTIONS)
