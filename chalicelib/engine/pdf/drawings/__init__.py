"""Drawings over and under pages."""
