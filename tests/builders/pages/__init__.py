"""Pages and PDFs for tests, and what renders them."""
