"""Render requests and results: input, output options, warnings, conformance reports."""
