"""From a place in the XML back to the field of the caller's invoice that it was written from."""

import re
from collections.abc import Sequence
from typing import Final, Protocol

from chalicelib.engine.conformance.cii_field_paths import CII_FIELD_PATHS, FieldPaths
from chalicelib.engine.conformance.report import JsonPathMapper
from chalicelib.engine.conformance.ubl_field_paths import UBL_FIELD_PATHS

_XPATH_STEP: Final = re.compile(r"/(@?)(?:\w+:)?(\w+)(?:\[(\d+)\])?")
_ALLOWANCES_OR_CHARGES: Final = "allowances|charges"


class HasAllowances(Protocol):
    """What allowances and charges stand in; their elements have one name, allowances first."""

    @property
    def allowances(self) -> Sequence[object]:
        """Return the allowances."""
        ...


class HasLines(HasAllowances, Protocol):
    """An invoice, as far as its elements do not tell by themselves which field they are."""

    @property
    def lines(self) -> Sequence[HasAllowances]:
        """Return the lines."""
        ...


def json_path_mapper(invoice: HasLines, root: str) -> JsonPathMapper:
    """Return what traces the XPaths of an invoice's own XML; `root` is where it stands in JSON."""

    def trace(location: str) -> str | None:
        path = _field_path(location, invoice)
        return f"{root}.{path}" if path else None

    return trace


def _field_path(location: str, invoice: HasLines) -> str:
    """Return the path of the nearest known field, nothing where that is the invoice itself."""
    first, *steps = _XPATH_STEP.findall(location) or [("", "", "")]
    places: str | FieldPaths = (
        CII_FIELD_PATHS if first[1] == "CrossIndustryInvoice" else UBL_FIELD_PATHS
    )
    path: list[str] = []
    owner: HasAllowances = invoice
    for attribute, name, position in steps:
        found = places.get(attribute + name) if isinstance(places, dict) else None
        if found is None:
            break
        index = int(position or 1) - 1
        own = found if isinstance(found, str) else str(found[""])
        _append_field(path, own, index, owner)
        if own == "lines[]" and index < len(invoice.lines):
            owner = invoice.lines[index]
        places = found
    return ".".join(path)


def _append_field(path: list[str], own: str, index: int, owner: HasAllowances) -> None:
    """Add what an element stands for; `^x` stands beside what it is written inside."""
    if own == _ALLOWANCES_OR_CHARGES:
        before = len(owner.allowances)
        kind, position = ("charges", index - before) if index >= before else ("allowances", index)
        path.append(f"{kind}[{position}]")
    elif own.startswith("^"):
        path[-1] = own[1:]
    elif own:
        path.append(own.replace("[]", f"[{index}]"))
