"""Hands out what is due."""
