"""Benchmarks of what a start takes."""
