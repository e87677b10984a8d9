"""Host of the files: stored files, and signed links that make them."""
