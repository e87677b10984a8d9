"""Reader of CII invoices, as far as the model goes."""

from chalicelib.engine.einvoice.read_cii.document import read_cii

__all__ = ["read_cii"]
