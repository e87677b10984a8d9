"""Output of a page: PDF, pictures, headers and footers, fonts, accessibility gaps."""
