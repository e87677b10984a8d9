"""Local stack: the whole service on one machine, driven by the infrastructure files.

The functions run in their own processes, as on Lambda; the stack does not import them.
"""
