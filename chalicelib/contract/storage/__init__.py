"""Models of storage destinations."""
