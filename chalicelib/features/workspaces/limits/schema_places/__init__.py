"""Places for schema checks."""
