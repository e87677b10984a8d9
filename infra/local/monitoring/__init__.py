"""Monitoring of a stack: metrics for Prometheus, readiness, and spans of traces."""
