"""Export of a workspace into a file, and its import."""
