"""Validation of finished files by the official validators; bytes in, report out (decision 23)."""
