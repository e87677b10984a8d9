"""Makes documents: one render by invocation, or from the queue."""
