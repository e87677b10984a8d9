"""Function that handles due items."""
