"""Confined child processes for content of strangers, and the walls around them.

A child imports its libraries, enters the sandbox and then answers requests over a pipe. Neither
side knows here what a request is about.
"""
