"""PDFs that tests of the PDF tools need."""
