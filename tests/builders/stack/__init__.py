"""Whole stacks for tests: clients, tenants, faults."""
