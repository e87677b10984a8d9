"""Form fields and annotations: their properties, and drawings of their texts."""
