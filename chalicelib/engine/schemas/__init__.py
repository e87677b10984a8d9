"""JSON Schema (2020-12): schema and plain data in, findings out, in a confined child process.

Only `worker` and `formats` belong to the service's own process: the evaluator runs in the child.
"""
