"""Models of batches."""
