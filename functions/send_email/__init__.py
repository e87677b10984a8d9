"""Function that sends emails."""
