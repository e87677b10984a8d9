"""Layer `pages`: the viewer of the reference and the search of the guides."""
