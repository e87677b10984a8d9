"""Requests of the PDF tools."""
