"""Local stack: the whole service on one machine, driven by the infrastructure files.

The functions run in processes of their own; the stack does not import them.
"""
