"""Writer of invoices as UBL 2.1: Invoice or CreditNote, depending on the type code."""

from chalicelib.engine.einvoice.write_ubl.document import write_ubl

__all__ = ["write_ubl"]
