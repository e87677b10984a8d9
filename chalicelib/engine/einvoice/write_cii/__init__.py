"""Writer of invoices as UN/CEFACT CII D22B: one full tree, pruned to the profile."""

from chalicelib.engine.einvoice.write_cii.document import write_cii

__all__ = ["write_cii"]
