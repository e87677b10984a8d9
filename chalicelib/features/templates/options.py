"""A template's default options under what a request says of its output."""

from collections.abc import Mapping
from typing import Any, Final

from chalicelib.core.errors import validation_error
from chalicelib.features.templates.model import SourceBundle

# Kept for the feature that uses it; no part of the output so far.
_UNSUPPORTED_OPTIONS: Final = frozenset({"email"})
_HEADER_FOOTER: Final = ("header", "footer")
# Their members belong together: what a request says of them stands for the whole.
_ATOMIC_MEMBERS: Final = frozenset({"attachments", "einvoice", "protection", "watermark"})
# A request's null turns them off.
_CLEARED_BY_NULL: Final = frozenset({"einvoice", "pdfa"})
# What holds for a PDF only, and is refused without one.
_PDF_CONFORMANCE: Final = frozenset({"pdfa", "pdfua"})
# Of members that exclude each other, what the request says wins.
_EXCLUSIVE_MEMBERS: Final = (
    ("format", "formats"),
    ("page_size", "width height"),
    ("html", "left center right"),
)


def check_options(source: SourceBundle) -> None:
    """Refuse options that could not hold for long: uploads go away after a day."""
    for path in _upload_pointers(source.options, "/options"):
        message = "an upload goes away after a day; send the content itself, or an address"
        raise validation_error(path, message, "not_allowed")


def merged_output(source: SourceBundle, explicit: Mapping[str, Any]) -> dict[str, Any]:
    """Return the output that a request asks for: what it says, else the template's defaults.

    It is merged member by member; null says nothing, but turns off the e-invoice and `pdf.pdfa`.
    """
    options = {
        name: value for name, value in source.options.items() if name not in _UNSUPPORTED_OPTIONS
    }
    if "output_format" in options:
        options["format"] = options.pop("output_format")
    defaults = _merge(_header_footer_defaults(source), options)
    output = _merge(defaults, explicit)
    if has_pdf_output(output) or "pdf" not in defaults:
        return output
    pdf = {name: value for name, value in defaults["pdf"].items() if name not in _PDF_CONFORMANCE}
    return _merge(defaults | {"pdf": pdf}, explicit)


def has_pdf_output(output: Mapping[str, Any]) -> bool:
    """Tell whether a PDF is among the files of an output."""
    formats = output.get("formats")
    return "pdf" in formats if formats else output.get("format") in {None, "pdf", "zip"}


def check_einvoice_carrier(explicit: Mapping[str, Any]) -> None:
    """Refuse a request whose PDF cannot carry the template's e-invoice."""
    pdf = explicit.get("pdf") or {}
    ways = "POST /v1/renders with output.einvoice null leaves the e-invoice out"
    pdfa = pdf.get("pdfa")
    if pdfa is not None and not pdfa.startswith("3"):
        message = f"pdfa {pdfa} and the template's einvoice exclude each other: use 3b, 3u or 3a; "
        raise validation_error("/output/pdf/pdfa", message + ways, "not_allowed")
    if pdf.get("protection") is not None:
        message = "protection and the template's einvoice exclude each other: leave it out; "
        raise validation_error("/output/pdf/protection", message + ways, "not_allowed")


def _header_footer_defaults(source: SourceBundle) -> dict[str, Any]:
    """Return the header and footer of the content as the PDF's."""
    bands: dict[str, Any] = {}
    for name in _HEADER_FOOTER:
        band = source.content.get(name)
        if band:
            bands[name] = {"enabled": True} | ({"html": band} if isinstance(band, str) else band)
    return {"pdf": bands} if bands else {}


def _merge(defaults: Mapping[str, Any], explicit: Mapping[str, Any]) -> dict[str, Any]:
    spoken = {name: value for name, value in explicit.items() if value is not None}
    undone = _CLEARED_BY_NULL & explicit.keys()
    kept = {
        name: value
        for name, value in defaults.items()
        if name not in undone and not _is_overridden(name, spoken)
    }
    for name, value in spoken.items():
        below = kept.get(name)
        deep = isinstance(value, Mapping) and name not in _ATOMIC_MEMBERS
        kept[name] = _merge(below if isinstance(below, Mapping) else {}, value) if deep else value
    return kept


def _is_overridden(name: str, given: Mapping[str, Any]) -> bool:
    for one, other in _EXCLUSIVE_MEMBERS:
        for mine, theirs in ((one.split(), other.split()), (other.split(), one.split())):
            if name in mine and any(rival in given for rival in theirs):
                return True
    return False


def _upload_pointers(value: Any, path: str) -> list[str]:
    if isinstance(value, Mapping):
        own = [f"{path}/upload_id"] if value.get("upload_id") is not None else []
        return own + [
            hit for name, each in value.items() for hit in _upload_pointers(each, f"{path}/{name}")
        ]
    if isinstance(value, list):
        return [
            hit for n, each in enumerate(value) for hit in _upload_pointers(each, f"{path}/{n}")
        ]
    return []
