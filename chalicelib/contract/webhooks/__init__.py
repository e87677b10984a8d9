"""Models of webhook endpoints and deliveries."""
