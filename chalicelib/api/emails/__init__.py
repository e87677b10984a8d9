"""Routes of email delivery."""
