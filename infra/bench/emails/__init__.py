"""Benchmarks of emails: rate and cost of sends, and what a rule costs a render."""
