"""Joining of documents into the first of them; equal names of two documents are kept apart."""
