"""Email sends: one email of a rule of a render, from its creation to its final state."""
