"""Invoice of EN 16931 in requests of the API."""
