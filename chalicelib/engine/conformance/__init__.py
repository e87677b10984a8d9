"""Verdicts of the official validators on finished files; bytes in, report out."""
