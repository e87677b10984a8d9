"""Combined files of batches, made part by part."""
