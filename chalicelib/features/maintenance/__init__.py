"""Maintenance: processing of due items, and repair of the state that a crash leaves."""
