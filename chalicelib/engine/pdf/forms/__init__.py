"""Forms and annotations: their fields, appearances and drawings."""
