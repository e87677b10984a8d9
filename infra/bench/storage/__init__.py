"""Benchmarks of uploads to storage destinations."""
