"""Benchmarks of emails: rate and cost of sends, and the cost of a rule to a render."""
