"""Options of a render, read from the normalised JSON of the contract's OutputSpec."""
