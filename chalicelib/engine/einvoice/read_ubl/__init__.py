"""From UBL to the invoice, as far as the model goes."""

from chalicelib.engine.einvoice.read_ubl.document import read_ubl

__all__ = ["read_ubl"]
