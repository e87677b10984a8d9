"""What is asked for, read from the normalised JSON of the contract's OutputSpec."""
