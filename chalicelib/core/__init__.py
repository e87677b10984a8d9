"""Shared basics: ids, time, errors, problems, JSON and text. Standard library only."""
