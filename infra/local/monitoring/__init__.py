"""What a machine tells of its stack: metrics for Prometheus, readiness, and spans of traces."""
