"""Linter of the pages for people: Vale with rules of our own (decision 75)."""
