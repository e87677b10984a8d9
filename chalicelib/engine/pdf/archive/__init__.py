"""Conversion to PDF/A: what a document must lose, and what it must have (ISO 19005-2 and -3)."""
