"""Storage destinations of customers, and the uploads of files to them."""
