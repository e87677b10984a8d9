"""Function that renders documents, by invocation or from the queue."""
