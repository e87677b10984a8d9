"""Conversion to PDF/A: forbidden parts are removed, required ones added (ISO 19005-2 and -3)."""
