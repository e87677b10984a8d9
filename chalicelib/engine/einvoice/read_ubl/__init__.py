"""Reader of UBL 2.1 invoices and credit notes, as far as the model goes."""

from chalicelib.engine.einvoice.read_ubl.document import read_ubl

__all__ = ["read_ubl"]
