"""Counts of sends."""
