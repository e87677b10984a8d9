"""Tagged PDF: structure tree, artifacts and PDF/UA repairs (ISO 14289-1)."""
