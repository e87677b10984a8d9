"""Models of emails."""
