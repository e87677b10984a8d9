"""Layer `pages`: the viewer of the reference."""
