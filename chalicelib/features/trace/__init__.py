"""Traces: everything that is known of one render, in the order of time; for the operator."""
