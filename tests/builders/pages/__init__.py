"""Pages and PDFs for tests, and their renderers."""
