"""Trees of a document: pages, names, numbers, outline, structure; walks are bounded."""
