"""Deliveries of events to receivers: the rows, the attempts, and their log."""
