"""Fonts of a document: read, subset, embedded, and replaced by the bundled ones."""
