"""Benchmarks of stored state: limits, events and due items."""
