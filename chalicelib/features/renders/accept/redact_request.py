"""Redaction of a request for its render's row: no secrets, no content, nothing large."""

import re
from collections.abc import Mapping
from typing import Any, Final

# These reveal nothing about the document, so they stay with zero retention (decision 17).
_ALWAYS_IN_INPUT: Final = frozenset({"type", "template_id"})
_ALWAYS_IN_OUTPUT: Final = frozenset({"format", "formats"})
# `https://user:password@…`, parsed as leniently as browsers do.
_CREDENTIALS: Final = re.compile(r"^([^:]*:[/\\]*)[^/\\?#]*@")
_HEADERS_AND_FOOTERS: Final = ("header", "footer", "first_header", "first_footer", "last_footer")


def redacted_input(
    render_input: Mapping[str, Any], *, zero_retention: bool = False
) -> dict[str, Any]:
    """Return the input without the document: its type and its references."""
    if render_input["type"] == "einvoice":
        return {name: render_input[name] for name in ("type", "profile", "syntax")}
    if zero_retention or render_input["type"] == "template":
        return {name: value for name, value in render_input.items() if name in _ALWAYS_IN_INPUT}
    content = {"html", "head"}
    references = {name: value for name, value in render_input.items() if name not in content}
    if "url" in references:
        references["url"] = _CREDENTIALS.sub(r"\1", references["url"])
    return references


def redacted_output(output: Mapping[str, Any], *, zero_retention: bool = False) -> dict[str, Any]:
    """Return the output options without header and footer texts, secrets and file contents."""
    if output["format"] is None and not output["formats"]:
        output = {**output, "format": "pdf"}
    if zero_retention:
        return {name: value for name, value in output.items() if name in _ALWAYS_IN_OUTPUT}
    if output["format"] == "xml":
        # The other options are about pages, and XML has none.
        return {name: output[name] for name in ("format", "formats", "filename")}
    pdf = dict(output["pdf"])
    for name in _HEADERS_AND_FOOTERS:
        if pdf[name] is not None:
            pdf[name] = {"enabled": pdf[name]["enabled"]}
    pdf["attachments"] = [_without(file, "content") for file in pdf["attachments"]]
    if pdf["protection"] is not None:
        pdf["protection"] = _without(pdf["protection"], "user_password", "owner_password")
    if pdf["watermark"] is not None and pdf["watermark"]["image"] is not None:
        image = _without(pdf["watermark"]["image"], "content")
        pdf["watermark"] = pdf["watermark"] | {"image": image}
    einvoice = _without(output.get("einvoice") or {}, "invoice") or None
    return {**output, "pdf": pdf, "http": _redacted_http(output["http"]), "einvoice": einvoice}


def _redacted_http(http: Mapping[str, Any]) -> dict[str, Any]:
    """Return the names of headers and cookies; their values are often secrets."""
    return {
        "headers": sorted(http["headers"] or ()),
        "cookies": [cookie["name"] for cookie in http["cookies"] or ()],
        "basic_auth": http["basic_auth"] is not None,
        "user_agent": http["user_agent"],
    }


def _without(value: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: member for name, member in value.items() if name not in names}
