"""Implementations of the ports: AWS, outbound connections, logs and metrics."""
