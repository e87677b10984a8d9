"""Kills functions at their crash points and checks the invariants of the stored data."""
