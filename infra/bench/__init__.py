"""Benchmarks: each backs a claim of a page or a decision, and prints its table and its ratio.

A benchmark is a module of the registry. Its docstring begins with a line that `make bench` lists.
`measure(parts, report, size)` runs it, in the size FULL or, to show only that it runs, in SMOKE.
"""
