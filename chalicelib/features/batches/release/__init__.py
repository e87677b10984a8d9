"""Release of the items of batches: the lease, the look at all active batches, and one step."""
