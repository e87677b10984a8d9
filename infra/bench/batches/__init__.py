"""Benchmarks of batches."""
