"""Signed links: URLs that make an image or a PDF without a key."""
