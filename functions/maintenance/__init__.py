"""Does what is due."""
