"""What several PDF tools do with a document: open it, choose pages, write it."""
