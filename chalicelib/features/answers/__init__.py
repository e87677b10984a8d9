"""Kept answers: the answer to a request with an Idempotency-Key, for its repeats."""
