"""Invoices for tests: valid, broken, random and hybrid."""
