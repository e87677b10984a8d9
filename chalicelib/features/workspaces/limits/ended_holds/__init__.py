"""Totals of ended holds."""
