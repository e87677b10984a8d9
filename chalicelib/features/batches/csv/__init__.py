"""CSV files of batches: their records, and how these become items."""
