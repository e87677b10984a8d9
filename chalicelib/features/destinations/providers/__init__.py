"""Kinds of storage destinations, one module each: sessions with a store."""
