"""E-invoices received from others: validation."""
