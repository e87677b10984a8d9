"""Business rules of invoices (EN 16931, XRechnung), checked before any XML is written."""
