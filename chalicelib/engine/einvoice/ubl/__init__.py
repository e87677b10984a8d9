"""Invoices as UBL 2.1: Invoice or CreditNote, after the type code."""

from chalicelib.engine.einvoice.ubl.document import to_ubl

__all__ = ["to_ubl"]
