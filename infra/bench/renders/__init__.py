"""Benchmarks of renders through the whole service."""
