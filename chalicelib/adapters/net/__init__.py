"""Connections to other machines, AWS apart."""
