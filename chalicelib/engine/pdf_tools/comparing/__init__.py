"""Differences of two documents: of the pictures of their pages, and of their texts."""
