"""Invoices as UN/CEFACT CII D22B: one full tree, pruned to the profile."""

from chalicelib.engine.einvoice.cii.document import to_cii

__all__ = ["to_cii"]
