"""Batches: many renders of one template, from items of the request or rows of a CSV file."""
