"""Parts that several PDF tools share: they open a document, choose pages, write it."""
