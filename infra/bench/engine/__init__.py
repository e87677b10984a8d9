"""Benchmarks of the engine's parts, without a service."""
