"""JSON paths of the caller's fields by the XPaths of the XML that was written from them."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from chalicelib.engine.conformance.cii_field_paths import (
    ADDITIONAL_DOCUMENT,
    ADJUSTMENT,
    CII_FIELD_PATHS,
    SELLER_REGISTRATION,
    FieldPaths,
)
from chalicelib.engine.conformance.ubl_field_paths import UBL_FIELD_PATHS

if TYPE_CHECKING:
    from chalicelib.engine.einvoice.model import Invoice

_CII_ROOT: Final = "CrossIndustryInvoice"
_XPATH_STEP: Final = re.compile(r"/(@?)(?:\w+:)?(\w+)(?:\[(\d+)\])?")
_SUPPORTING_DOCUMENT: Final = "supporting_documents["
# References that are additional documents in one of the syntaxes only.
_CII_REFERENCE: Final = "tender_reference"
_UBL_REFERENCE: Final = "project_reference"


class InvoiceFieldPaths(NamedTuple):
    """JSON paths of an invoice's fields by their places in the XML; `root` is that of the invoice.

    Some elements of one name form one sequence, and only the invoice tells which of them is which
    field: allowances and then charges, supporting documents and then references, the seller's VAT
    identifier and then the tax number. Without them (an XML of another writer) the path ends
    before such an element.
    """

    root: str
    allowance_count: int = 0
    line_allowance_counts: tuple[int, ...] = ()
    additional_documents: tuple[str, ...] = ()
    seller_registrations: tuple[str, ...] = ()

    @classmethod
    def of(cls, invoice: "Invoice", root: str) -> "InvoiceFieldPaths":
        """Return the paths of an invoice."""
        return cls(
            root,
            len(invoice.allowances),
            tuple(len(line.allowances) for line in invoice.lines),
            (
                *(f"{_SUPPORTING_DOCUMENT}{n}]" for n in range(len(invoice.supporting_documents))),
                *([_CII_REFERENCE] if invoice.tender_reference else []),
                *(["invoiced_object"] if invoice.invoiced_object else []),
                *([_UBL_REFERENCE] if invoice.project_reference else []),
            ),
            (
                *(["vat_id"] if invoice.seller.vat_id else []),
                *(["tax_number"] if invoice.seller.tax_number else []),
            ),
        )

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
    is_cii = first[1] == _CII_ROOT
    elements: str | FieldPaths = CII_FIELD_PATHS if is_cii else UBL_FIELD_PATHS
    path: list[str] = []
    allowance_count, parent_index = paths.allowance_count, 0
    for attribute, name, position in steps:
        entry = elements.get(attribute + name) if isinstance(elements, dict) else None
        if entry is None:
            break
        index = int(position or 1) - 1
        field = entry if isinstance(entry, str) else str(entry[""])
        if field == ADDITIONAL_DOCUMENT:
            field = _additional_document(paths.additional_documents, index, is_cii=is_cii)
            if not field.startswith(_SUPPORTING_DOCUMENT):
                entry = field
        elif field == SELLER_REGISTRATION:
            field = _at(paths.seller_registrations, index)
        _append_field(path, field.replace("[^]", f"[{parent_index}]"), index, allowance_count)
        if field == "lines[]" and index < len(paths.line_allowance_counts):
            allowance_count = paths.line_allowance_counts[index]
        elements, parent_index = entry, index
    return ".".join(path)


def _additional_document(documents: Sequence[str], index: int, *, is_cii: bool) -> str:
    """Return the field of an additional document, or an empty text if it is not known."""
    other = _UBL_REFERENCE if is_cii else _CII_REFERENCE
    return _at([each for each in documents if each != other], index)


def _at(fields: Sequence[str], index: int) -> str:
    return fields[index] if index < len(fields) else ""


def _append_field(path: list[str], field: str, index: int, allowance_count: int) -> None:
    """Append the field of an element; `^x` replaces the last name, as its value is a sibling."""
    if field == ADJUSTMENT:
        is_charge = index >= allowance_count
        kind, position = (
            ("charges", index - allowance_count) if is_charge else ("allowances", index)
        )
        path.append(f"{kind}[{position}]")
    elif field.startswith("^"):
        path[-1] = field[1:]
    elif field:
        path.append(field.replace("[]", f"[{index}]"))
