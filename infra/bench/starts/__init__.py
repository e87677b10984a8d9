"""Benchmarks of the time that a start takes."""
