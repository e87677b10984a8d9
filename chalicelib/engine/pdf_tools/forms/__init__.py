"""Form fields and annotations: what they are, and drawings of what they show."""
