"""E-invoices of EN 16931: totals, rules and XML. Invoice in, bytes and findings out."""
