"""Function that publishes outbox events to subscribers."""
