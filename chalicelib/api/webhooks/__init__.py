"""Routes of webhooks: endpoints and deliveries."""
