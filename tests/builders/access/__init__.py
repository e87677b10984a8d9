"""Objects, requests and outcomes of the matrix of access."""
