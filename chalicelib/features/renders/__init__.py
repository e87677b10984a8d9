"""Renders: acceptance, execution, reading and purging."""
