"""Kills functions at their crash points and compares what is left with what must be."""
