"""Batches: many renders of one template, released by and by, counted, and combined."""
