"""Forwarding of a workspace's events to an address of the operator, as they happen."""
