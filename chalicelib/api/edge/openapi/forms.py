"""Forms of texts that this service writes: ids with their prefix, and times."""

from collections.abc import Mapping
from typing import Final

from chalicelib.api.edge.openapi import objects as oas

_ULID: Final = "[0-7][0-9A-HJKMNP-TV-Z]{25}"
# By the `object` of what has the id.
_PREFIXES: Final[Mapping[str, str]] = {
    "batch": "bat",
    "dataset": "ds",
    "email_connection": "emc",
    "email_rule": "emr",
    "email_send": "ems",
    "render": "rnd",
    "signed_link": "lnk",
    "storage_destination": "dst",
    "template": "tpl",
    "upload": "upl",
    "webhook_delivery": "whd",
    "webhook_endpoint": "whe",
}
_MEMBERS: Final[Mapping[str, str]] = {
    "batch_id": "bat",
    "connection_id": "emc",
    "destination_id": "dst",
    "file_id": "file",
    "previous_render_id": "rnd",
    "render_id": "rnd",
    "send_id": "ems",
    "template_id": "tpl",
}
# By the segment of a path before the id, and by the name of a parameter.
_COLLECTIONS: Final[Mapping[str, str]] = {
    "batches": "bat",
    "email-connections": "emc",
    "email-rules": "emr",
    "email-sends": "ems",
    "renders": "rnd",
    "signed-links": "lnk",
    "storage-destinations": "dst",
    "templates": "tpl",
    "uploads": "upl",
    "webhook-deliveries": "whd",
    "webhook-endpoints": "whe",
}
_PARAMETERS: Final[Mapping[str, str]] = {"ds": "ds", "file_id": "file", "link_id": "lnk"}
_TEXTS: Final = ("string", ["string", "null"])
_SAYS_FORM: Final = {"format", "pattern", "enum", "const", "minLength", "maxLength"}


def with_forms(schema: oas.Schema) -> oas.Schema:
    """Return an object whose ids and times say their form."""
    if "properties" not in schema:
        return schema
    parts = schema["properties"]
    kind = str(parts.get("object", {}).get("const", ""))
    schema["properties"] = {name: _with_form(name, kind, part) for name, part in parts.items()}
    return schema


def parameter_schema(path: str, name: str) -> oas.Schema:
    """Return the schema of a parameter of a path: of an id, a number or a text."""
    if name == "number":
        return {"type": "integer", "minimum": 1}
    before = path.partition(f"/{{{name}}}")[0].rpartition("/")[2]
    prefix = _PARAMETERS.get(name) or _COLLECTIONS.get(before)
    return {"type": "string", "pattern": _pattern(prefix)} if prefix else {"type": "string"}


def _with_form(name: str, kind: str, part: oas.Schema) -> oas.Schema:
    if part.get("type") not in _TEXTS or _SAYS_FORM & part.keys():
        return part
    if name == "at" or name.endswith("_at"):
        return {**part, "format": "date-time"}
    prefix = _PREFIXES.get(kind) if name == "id" else _MEMBERS.get(name)
    return {**part, "pattern": _pattern(prefix)} if prefix else part


def _pattern(prefix: str) -> str:
    return f"^{prefix}_{_ULID}$"
