"""Routes that make renders, and their way from a request to an answer."""
