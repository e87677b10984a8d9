"""Templates: drafts, versions, datasets, options and canvas scenes."""
