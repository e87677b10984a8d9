"""Usage: statistics by day; the limits have counters of their own."""
