"""Acceptance of a render: from the request to the row."""
