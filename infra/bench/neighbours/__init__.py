"""Benchmark of the shares that workspaces have of one machine."""
