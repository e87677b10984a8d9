"""Uploads of the files of renders to storage destinations."""
