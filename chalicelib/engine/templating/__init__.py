"""Template language: source and plain data in, text out, in a confined child process.

Only `worker` belongs to the service's own process: modules that import Jinja2 run in the child.
"""
