"""Traces: all records about one render in the order of time, for the operator."""
