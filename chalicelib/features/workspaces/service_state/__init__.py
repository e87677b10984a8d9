"""State of the service, set by the operator."""
