"""Combined files of a batch, written part by part, resumable from a saved state (decision 39)."""
