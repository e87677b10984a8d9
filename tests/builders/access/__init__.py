"""Who may what: objects, requests and outcomes of the matrix of access."""
