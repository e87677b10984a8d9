"""From a place in the XML back to the field of the caller's invoice that it was written from."""

import re
from collections.abc import Sequence
from typing import Final, Protocol

from chalicelib.engine.conformance.places_cii import CII, Places
from chalicelib.engine.conformance.places_ubl import UBL
from chalicelib.engine.conformance.report import Trace

_STEP: Final = re.compile(r"/(@?)(?:\w+:)?(\w+)(?:\[(\d+)\])?")
_ADJUSTMENTS: Final = "allowances|charges"


class Adjusted(Protocol):
    """What allowances and charges stand in; their elements have one name, allowances first."""

    @property
    def allowances(self) -> Sequence[object]:
        """Return the allowances."""
        ...


class Lined(Adjusted, Protocol):
    """An invoice, as far as its elements do not tell by themselves which field they are."""

    @property
    def lines(self) -> Sequence[Adjusted]:
        """Return the lines."""
        ...


def tracer(invoice: Lined, root: str) -> Trace:
    """Return what traces the XPaths of an invoice's own XML; `root` is where it stands in JSON."""

    def trace(location: str) -> str | None:
        path = _path(location, invoice)
        return f"{root}.{path}" if path else None

    return trace


def _path(location: str, invoice: Lined) -> str:
    """Return the path of the nearest known field, nothing where that is the invoice itself."""
    first, *steps = _STEP.findall(location) or [("", "", "")]
    places: str | Places = CII if first[1] == "CrossIndustryInvoice" else UBL
    path: list[str] = []
    owner: Adjusted = invoice
    for attribute, name, position in steps:
        found = places.get(attribute + name) if isinstance(places, dict) else None
        if found is None:
            break
        index = int(position or 1) - 1
        own = found if isinstance(found, str) else str(found[""])
        _extend(path, own, index, owner)
        if own == "lines[]" and index < len(invoice.lines):
            owner = invoice.lines[index]
        places = found
    return ".".join(path)


def _extend(path: list[str], own: str, index: int, owner: Adjusted) -> None:
    """Add what an element stands for; `^x` stands beside what it is written inside."""
    if own == _ADJUSTMENTS:
        before = len(owner.allowances)
        kind, position = ("charges", index - before) if index >= before else ("allowances", index)
        path.append(f"{kind}[{position}]")
    elif own.startswith("^"):
        path[-1] = own[1:]
    elif own:
        path.append(own.replace("[]", f"[{index}]"))
