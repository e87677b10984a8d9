"""Idempotency-Keys of callers, and the render of each."""
