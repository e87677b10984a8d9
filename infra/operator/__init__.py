"""The operator tool `platen`."""
