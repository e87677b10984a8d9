"""Function that queues due items."""
