"""Providers of email: each opens sessions with one kind of service."""
