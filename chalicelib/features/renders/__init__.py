"""Renders: from the accepted request to the final state."""
