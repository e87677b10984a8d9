"""The invoice of EN 16931 as the API takes it."""
