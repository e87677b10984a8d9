"""Upkeep: what was promised for later is done, what a crash has left open is ended."""
