"""PDFs of odd kinds, made here: one module for each kind."""
