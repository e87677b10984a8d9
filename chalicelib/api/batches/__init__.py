"""Routes of batches."""
