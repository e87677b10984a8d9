"""Tells facts to whoever listens."""
