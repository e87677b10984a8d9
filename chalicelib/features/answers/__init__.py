"""Kept answers: what a request with an Idempotency-Key has answered, for its repeats."""
