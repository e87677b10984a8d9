"""Joining of documents into the first of them, for the tool `merge`.

Equal names of two documents are kept apart.
"""
