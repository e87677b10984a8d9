"""Benchmarks: one module per claim, each printing its table and its ratio."""
