"""Templates: drafts, published versions that never change, and the trash."""
