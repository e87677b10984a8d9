"""Merging of many documents, one after the other, resumable from a saved state."""
