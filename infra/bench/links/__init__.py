"""Benchmarks of signed links."""
