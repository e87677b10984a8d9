"""Function that resolves and records dead letters."""
