"""A page of the browser, prepared ahead, and the calls to it that the rooms above make."""
