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

    It is merged member by member; null says nothing, but turns off the e-invoice.
    """
    options = {name: value for name, value in source.options.items() if name not in _FOR_LATER}
    if "output_format" in options:
        options["format"] = options.pop("output_format")
    if "einvoice" in said:
        options.pop("einvoice", None)
    return _merged(_merged(_bands(source), options), said)


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
    kept = {name: value for name, value in defaults.items() if not _is_beaten(name, spoken)}
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
