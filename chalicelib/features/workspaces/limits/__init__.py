"""Limits of a workspace: rate, concurrency and quota in one conditionally updated item."""
