"""Benchmarks of webhooks."""
