"""Function that combines the results of batches."""
