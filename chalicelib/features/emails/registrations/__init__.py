"""Registrations of connections for the events of their providers."""
