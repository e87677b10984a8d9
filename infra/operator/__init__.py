"""Operator tool `platen`, a command-line interface over the same use cases as the API."""
