"""Leases of invocations for receivers."""
