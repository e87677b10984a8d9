"""Backups of a data folder: made while the server runs, checked, and restored."""
