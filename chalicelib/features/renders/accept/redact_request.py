"""What a render shows of its request: no secrets, and nothing that is too large for a row."""

import re
from collections.abc import Mapping
from typing import Any, Final

# What tells nothing of a document: which kinds of files, and where its template is.
_ALWAYS_IN_INPUT: Final = frozenset({"type", "template_id"})
_ALWAYS_IN_OUTPUT: Final = frozenset({"format", "formats"})
# `https://user:password@…`, as leniently as browsers read it.
_CREDENTIALS: Final = re.compile(r"^([^:]*:[/\\]*)[^/\\?#]*@")
_HEADERS_AND_FOOTERS: Final = ("header", "footer", "first_header", "first_footer", "last_footer")


def redacted_input(
    render_input: Mapping[str, Any], *, zero_retention: bool = False
) -> dict[str, Any]:
    """Return what is told of the input: its kind and what it names, never the document."""
    if render_input["type"] == "einvoice":
        return {name: render_input[name] for name in ("type", "profile", "syntax")}
    if zero_retention or render_input["type"] == "template":
        return {name: value for name, value in render_input.items() if name in _ALWAYS_IN_INPUT}
    hidden = {"html", "head"}
    shown = {name: value for name, value in render_input.items() if name not in hidden}
    return shown | ({"url": _CREDENTIALS.sub(r"\1", shown["url"])} if "url" in shown else {})


def redacted_output(output: Mapping[str, Any], *, zero_retention: bool = False) -> dict[str, Any]:
    """Return what was asked of the output, without texts of margins, secrets and contents."""
    if output["format"] is None and not output["formats"]:
        output = {**output, "format": "pdf"}
    if zero_retention:
        return {name: value for name, value in output.items() if name in _ALWAYS_IN_OUTPUT}
    if output["format"] == "xml":
        # It has no page that the rest could be about.
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
    """Return the names of headers and cookies: their values are often secrets."""
    return {
        "headers": sorted(http["headers"] or ()),
        "cookies": [cookie["name"] for cookie in http["cookies"] or ()],
        "basic_auth": http["basic_auth"] is not None,
        "user_agent": http["user_agent"],
    }


def _without(value: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: member for name, member in value.items() if name not in names}
