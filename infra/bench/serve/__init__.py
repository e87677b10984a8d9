"""Benchmark of the durable server beside the stack that keeps nothing."""
