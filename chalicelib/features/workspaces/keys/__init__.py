"""API keys: text format, management, last use, expiry warnings."""
