"""Function that delivers webhooks."""
