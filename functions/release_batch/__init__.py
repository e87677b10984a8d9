"""Function that releases the items of batches."""
