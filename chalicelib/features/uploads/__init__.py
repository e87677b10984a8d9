"""Uploads: bytes that a caller sends before the request that names them."""
