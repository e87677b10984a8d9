"""Typed options of an output with their defaults; the request models check them."""
