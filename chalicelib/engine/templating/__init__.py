"""The template language: source and plain data in, text out, in a confined child process.

Only `worker` belongs to the service's own process: whatever imports Jinja2 runs in the child.
"""
