"""Benchmarks of the PDF tools."""
