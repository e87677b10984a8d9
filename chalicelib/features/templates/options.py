"""A template's default options under what a request says of its output."""

from collections.abc import Mapping
from typing import Any, Final

from chalicelib.core.errors import invalid
from chalicelib.features.templates.model import Source

# Kept for the feature that uses it; no part of the output so far.
_FOR_LATER: Final = frozenset({"email"})
_BANDS: Final = ("header", "footer")
# Their members belong together: what a request says of them stands for the whole.
_WHOLE: Final = frozenset({"attachments", "einvoice", "protection", "watermark"})
# A request's null turns them off.
_UNDONE_BY_NULL: Final = frozenset({"einvoice", "pdfa"})
# What holds for a PDF only, and is refused without one.
_CONFORMANCE: Final = frozenset({"pdfa", "pdfua"})
# Of members that exclude each other, what the request says wins.
_RIVALS: Final = (
    ("format", "formats"),
    ("page_size", "width height"),
    ("html", "left center right"),
)


def check_options(source: Source) -> None:
    """Refuse options that could not hold for long: uploads go away after a day."""
    for path in _uploads(source.options, "/options"):
        message = "an upload goes away after a day; send the content itself, or an address"
        raise invalid(path, message, "not_allowed")


def output_of(source: Source, said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the output that a request asks for: what it says, else the template's defaults.

    It is merged member by member; null says nothing, but turns off the e-invoice and `pdf.pdfa`.
    """
    options = {name: value for name, value in source.options.items() if name not in _FOR_LATER}
    if "output_format" in options:
        options["format"] = options.pop("output_format")
    defaults = _merged(_bands(source), options)
    output = _merged(defaults, said)
    if draws_pdf(output) or "pdf" not in defaults:
        return output
    pdf = {name: value for name, value in defaults["pdf"].items() if name not in _CONFORMANCE}
    return _merged(defaults | {"pdf": pdf}, said)


def draws_pdf(output: Mapping[str, Any]) -> bool:
    """Tell whether a PDF is among the files of an output."""
    formats = output.get("formats")
    return "pdf" in formats if formats else output.get("format") in {None, "pdf", "zip"}


def check_carrier(said: Mapping[str, Any]) -> None:
    """Refuse a request whose PDF cannot carry the template's e-invoice."""
    pdf = said.get("pdf") or {}
    ways = "POST /v1/renders with output.einvoice null leaves the e-invoice out"
    pdfa = pdf.get("pdfa")
    if pdfa is not None and not pdfa.startswith("3"):
        message = f"pdfa {pdfa} and the template's einvoice exclude each other: use 3b, 3u or 3a; "
        raise invalid("/output/pdf/pdfa", message + ways, "not_allowed")
    if pdf.get("protection") is not None:
        message = "protection and the template's einvoice exclude each other: leave it out; "
        raise invalid("/output/pdf/protection", message + ways, "not_allowed")


def _bands(source: Source) -> dict[str, Any]:
    """Return the header and footer of the content as the PDF's."""
    bands: dict[str, Any] = {}
    for name in _BANDS:
        band = source.content.get(name)
        if band:
            bands[name] = {"enabled": True} | ({"html": band} if isinstance(band, str) else band)
    return {"pdf": bands} if bands else {}


def _merged(defaults: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    spoken = {name: value for name, value in said.items() if value is not None}
    undone = _UNDONE_BY_NULL & said.keys()
    kept = {
        name: value
        for name, value in defaults.items()
        if name not in undone and not _is_beaten(name, spoken)
    }
    for name, value in spoken.items():
        below = kept.get(name)
        deep = isinstance(value, Mapping) and name not in _WHOLE
        kept[name] = _merged(below if isinstance(below, Mapping) else {}, value) if deep else value
    return kept


def _is_beaten(name: str, spoken: Mapping[str, Any]) -> bool:
    for one, other in _RIVALS:
        for mine, theirs in ((one.split(), other.split()), (other.split(), one.split())):
            if name in mine and any(rival in spoken for rival in theirs):
                return True
    return False


def _uploads(value: Any, path: str) -> list[str]:
    if isinstance(value, Mapping):
        own = [f"{path}/upload_id"] if value.get("upload_id") is not None else []
        return own + [
            hit for name, each in value.items() for hit in _uploads(each, f"{path}/{name}")
        ]
    if isinstance(value, list):
        return [hit for n, each in enumerate(value) for hit in _uploads(each, f"{path}/{n}")]
    return []
