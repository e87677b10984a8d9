"""Runs functions as Lambda does: one process per concurrent invocation, killed at its timeout."""
