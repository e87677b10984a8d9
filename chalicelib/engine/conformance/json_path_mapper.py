"""Mapper from an XPath in the XML to the JSON path of the caller's field it was written from."""

import re
from collections.abc import Sequence
from typing import Final, Protocol

from chalicelib.engine.conformance.cii_field_paths import CII_FIELD_PATHS, FieldPaths
from chalicelib.engine.conformance.report import JsonPathMapper
from chalicelib.engine.conformance.ubl_field_paths import UBL_FIELD_PATHS

_XPATH_STEP: Final = re.compile(r"/(@?)(?:\w+:)?(\w+)(?:\[(\d+)\])?")
_ALLOWANCES_OR_CHARGES: Final = "allowances|charges"


class HasAllowances(Protocol):
    """An object with allowances and charges.

    Their elements have one name and form one sequence, allowances first: only the number of
    allowances tells where the charges begin.
    """

    @property
    def allowances(self) -> Sequence[object]:
        """Return the allowances."""
        ...


class HasLines(HasAllowances, Protocol):
    """An invoice, as far as the mapper needs it."""

    @property
    def lines(self) -> Sequence[HasAllowances]:
        """Return the lines."""
        ...


def json_path_mapper(invoice: HasLines, root: str) -> JsonPathMapper:
    """Return the mapper for the XML of an invoice; `root` is the JSON path of the invoice."""

    def map_location(location: str) -> str | None:
        path = _field_path(location, invoice)
        return f"{root}.{path}" if path else None

    return map_location


def _field_path(location: str, invoice: HasLines) -> str:
    """Return the path of the nearest known field; an empty text means the invoice itself."""
    first, *steps = _XPATH_STEP.findall(location) or [("", "", "")]
    elements: str | FieldPaths = (
        CII_FIELD_PATHS if first[1] == "CrossIndustryInvoice" else UBL_FIELD_PATHS
    )
    path: list[str] = []
    owner: HasAllowances = invoice
    for attribute, name, position in steps:
        entry = elements.get(attribute + name) if isinstance(elements, dict) else None
        if entry is None:
            break
        index = int(position or 1) - 1
        field = entry if isinstance(entry, str) else str(entry[""])
        _append_field(path, field, index, owner)
        if field == "lines[]" and index < len(invoice.lines):
            owner = invoice.lines[index]
        elements = entry
    return ".".join(path)


def _append_field(path: list[str], field: str, index: int, owner: HasAllowances) -> None:
    """Append the field of an element; `^x` replaces the last name, as its value is a sibling."""
    if field == _ALLOWANCES_OR_CHARGES:
        count = len(owner.allowances)
        kind, position = ("charges", index - count) if index >= count else ("allowances", index)
        path.append(f"{kind}[{position}]")
    elif field.startswith("^"):
        path[-1] = field[1:]
    elif field:
        path.append(field.replace("[]", f"[{index}]"))
