"""IBANs, VAT ids and Leitweg-IDs with a wrong form or check digit.

The official sheets check few of them, so these are warnings of the service and never failures.
"""

import re
from collections.abc import Iterator
from types import MappingProxyType
from typing import Final, NamedTuple

from chalicelib.engine.einvoice.model import Identifier, Invoice

_MAX_LENGTH: Final = 50
_IBAN: Final = re.compile("[A-Z]{2}[0-9]{2}[A-Z0-9]{1,30}")
_LEITWEG_ID: Final = re.compile("[0-9]{2,12}(?:-[A-Z0-9]{1,30})?-[0-9]{2}")
# Buyers refer to invoices by other numbers too: two short groups of digits are no Leitweg-ID.
_LEITWEG_REFERENCE: Final = re.compile(
    "(?:0[1-9]|1[0-6]|99)(?:[0-9]{0,10}-[A-Z0-9]{1,30}|[0-9]{3,10})-[0-9]{2}"
)
_LEITWEG_SCHEME: Final = "0204"
_MOD_97_REMAINDER: Final = 1  # ISO 7064, as IBAN and Leitweg-ID use it
_SEPARATORS: Final = str.maketrans("", "", " .-")
_BRITISH: Final = "[0-9]{9}|[0-9]{12}|(?:GD|HA)[0-9]{3}"
# What follows the country (VIES, and the tax offices of Switzerland, Norway and Great Britain).
_VAT_ID_FORMS: Final = MappingProxyType(
    {
        country: re.compile(form)
        for country, form in {
            "AT": "U[0-9]{8}",
            "BE": "[01][0-9]{9}",
            "BG": "[0-9]{9,10}",
            "CH": "E[0-9]{9}(?:MWST|TVA|IVA)?",
            "CY": "[0-9]{8}[A-Z]",
            "CZ": "[0-9]{8,10}",
            "DE": "[1-9][0-9]{8}",
            "DK": "[0-9]{8}",
            "EE": "[0-9]{9}",
            "EL": "[0-9]{9}",
            "ES": "[A-Z][0-9]{7}[A-Z0-9]|[0-9]{8}[A-Z]",
            "FI": "[0-9]{8}",
            "FR": "[A-HJ-NP-Z0-9]{2}[0-9]{9}",
            "GB": _BRITISH,
            "GR": "[0-9]{9}",
            "HR": "[0-9]{11}",
            "HU": "[0-9]{8}",
            "IE": "[0-9][A-Z0-9+*][0-9]{5}[A-Z]|[0-9]{7}[A-Z]{2}",
            "IT": "[0-9]{11}",
            "LT": "[0-9]{9}|[0-9]{12}",
            "LU": "[0-9]{8}",
            "LV": "[0-9]{11}",
            "MT": "[0-9]{8}",
            "NL": "[A-Z0-9+*]{9}B[0-9]{2}",
            "NO": "[0-9]{9}(?:MVA)?",
            "PL": "[0-9]{10}",
            "PT": "[0-9]{9}",
            "RO": "[0-9]{2,10}",
            "SE": "[0-9]{12}",
            "SI": "[0-9]{8}",
            "SK": "[0-9]{10}",
            "XI": _BRITISH,
        }.items()
    }
)


class ImpossibleIdentifier(NamedTuple):
    """Identifier with a wrong form or check digit, and its path in the invoice."""

    rule: str
    path: str
    message: str
    value: str


def impossible_identifiers(
    invoice: Invoice, *, is_xrechnung: bool
) -> Iterator[ImpossibleIdentifier]:
    """Yield the identifiers of an invoice, sent or received, that cannot exist."""
    for path, value in _vat_ids(invoice):
        if _is_short(value) and has_impossible_vat_form(value):
            message = f"has no form of a VAT id of {value.lstrip()[:2].upper()}"
            yield ImpossibleIdentifier("PLT-VAT-ID", path, message, value)
    for path, value in _ibans(invoice):
        if _is_short(value) and has_wrong_iban_checksum(value):
            message = "is no IBAN: its checksum does not fit"
            yield ImpossibleIdentifier("PLT-IBAN", path, message, value)
    for path, value in _leitweg_ids(invoice, is_xrechnung=is_xrechnung):
        if _is_short(value) and not is_leitweg_id(value):
            message = "is no Leitweg-ID: its form or its check digits do not fit"
            yield ImpossibleIdentifier("PLT-LEITWEG-ID", path, message, value)


def has_impossible_vat_form(value: str) -> bool:
    """Tell whether a VAT id has no form of its country; other countries have any form."""
    compact = value.translate(_SEPARATORS).upper()
    form = _VAT_ID_FORMS.get(compact[:2])
    return form is not None and form.fullmatch(compact[2:]) is None


def has_wrong_iban_checksum(value: str) -> bool:
    """Tell whether a text has the form of an IBAN, and a checksum that does not fit.

    The field also holds account numbers of other forms, about which nothing is known.
    """
    compact = "".join(value.split()).upper()
    if _IBAN.fullmatch(compact) is None:
        return False
    return _remainder_by_97(compact[4:] + compact[:4]) != _MOD_97_REMAINDER


def is_leitweg_id(value: str) -> bool:
    """Tell whether a text has the form of a Leitweg-ID, and the check digits that fit."""
    text = value.strip().upper()
    if _LEITWEG_ID.fullmatch(text) is None:
        return False
    return _remainder_by_97(text.replace("-", "")) == _MOD_97_REMAINDER


def _is_short(value: str) -> bool:
    """Tell whether a text of a received document may be an identifier at all."""
    return len(value) <= _MAX_LENGTH


def _remainder_by_97(characters: str) -> int:
    """Return the remainder of digits and letters, of which A counts 10 and Z 35."""
    return int("".join(str(int(each, 36)) for each in characters)) % 97


def _vat_ids(invoice: Invoice) -> Iterator[tuple[str, str]]:
    for name in ("seller", "buyer", "tax_representative"):
        value = getattr(getattr(invoice, name), "vat_id", None)
        if value:
            yield f"{name}.vat_id", value


def _ibans(invoice: Invoice) -> Iterator[tuple[str, str]]:
    payment = invoice.payment
    if payment is None:
        return
    for n, transfer in enumerate(payment.credit_transfers):
        if transfer.account_id:
            yield f"payment.credit_transfers[{n}].account_id", transfer.account_id
    if payment.direct_debit and payment.direct_debit.debited_account:
        yield "payment.direct_debit.debited_account", payment.direct_debit.debited_account


def _leitweg_ids(invoice: Invoice, *, is_xrechnung: bool) -> Iterator[tuple[str, str]]:
    """Yield the values that claim to be a Leitweg-ID, and references that look like one."""
    reference = invoice.buyer_reference
    # XRechnung asks for one in BT-10 where the buyer is an authority.
    if is_xrechnung and reference and _LEITWEG_REFERENCE.fullmatch(reference.strip().upper()):
        yield "buyer_reference", reference
    for path, identifier in _identifiers(invoice):
        if identifier and identifier.scheme == _LEITWEG_SCHEME and identifier.id:
            yield f"{path}.id", identifier.id


def _identifiers(invoice: Invoice) -> Iterator[tuple[str, Identifier | None]]:
    seller, buyer = invoice.seller, invoice.buyer
    yield "seller.electronic_address", seller.electronic_address
    yield "buyer.electronic_address", buyer.electronic_address
    yield "buyer.identifier", buyer.identifier
    for n, identifier in enumerate(seller.identifiers):
        yield f"seller.identifiers[{n}]", identifier
