"""Usage: statistics by day, separate from the counters of the limits."""
