"""JSON paths of the caller's fields by the XPaths of the XML that was written from them."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

from chalicelib.engine.conformance.cii_field_paths import CII_FIELD_PATHS, FieldPaths
from chalicelib.engine.conformance.ubl_field_paths import UBL_FIELD_PATHS

_XPATH_STEP: Final = re.compile(r"/(@?)(?:\w+:)?(\w+)(?:\[(\d+)\])?")
_ALLOWANCES_OR_CHARGES: Final = "allowances|charges"


class _HasAllowances(Protocol):
    @property
    def allowances(self) -> Sequence[object]: ...


class _HasLines(_HasAllowances, Protocol):
    @property
    def lines(self) -> Sequence[_HasAllowances]: ...


class InvoiceFieldPaths(NamedTuple):
    """JSON paths of an invoice's fields by their places in the XML; `root` is that of the invoice.

    Elements of allowances and charges have one name and form one sequence, allowances first: only
    the number of allowances, of the document and of each line, tells where the charges begin.
    """

    root: str
    allowance_count: int
    line_allowance_counts: tuple[int, ...]

    @classmethod
    def of(cls, invoice: _HasLines, root: str) -> "InvoiceFieldPaths":
        """Return the paths of an invoice."""
        line_counts = tuple(len(line.allowances) for line in invoice.lines)
        return cls(root, len(invoice.allowances), line_counts)

    def json_path(self, location: str) -> str | None:
        """Return the JSON path of the nearest known field of an XPath, or None.

        Findings of the service have that of their field as location already.
        """
        if location.startswith(f"{self.root}."):
            return location
        path = _field_path(location, self)
        return f"{self.root}.{path}" if path else None


def _field_path(location: str, paths: InvoiceFieldPaths) -> str:
    """Return the path of the nearest known field; an empty text means the invoice itself."""
    first, *steps = _XPATH_STEP.findall(location) or [("", "", "")]
    elements: str | FieldPaths = (
        CII_FIELD_PATHS if first[1] == "CrossIndustryInvoice" else UBL_FIELD_PATHS
    )
    path: list[str] = []
    allowance_count = paths.allowance_count
    for attribute, name, position in steps:
        entry = elements.get(attribute + name) if isinstance(elements, dict) else None
        if entry is None:
            break
        index = int(position or 1) - 1
        field = entry if isinstance(entry, str) else str(entry[""])
        _append_field(path, field, index, allowance_count)
        if field == "lines[]" and index < len(paths.line_allowance_counts):
            allowance_count = paths.line_allowance_counts[index]
        elements = entry
    return ".".join(path)


def _append_field(path: list[str], field: str, index: int, allowance_count: int) -> None:
    """Append the field of an element; `^x` replaces the last name, as its value is a sibling."""
    if field == _ALLOWANCES_OR_CHARGES:
        is_charge = index >= allowance_count
        kind, position = (
            ("charges", index - allowance_count) if is_charge else ("allowances", index)
        )
        path.append(f"{kind}[{position}]")
    elif field.startswith("^"):
        path[-1] = field[1:]
    elif field:
        path.append(field.replace("[]", f"[{index}]"))
