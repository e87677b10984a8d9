"""Email delivery."""
