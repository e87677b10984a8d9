"""Guides: the pages of docs/ and what is generated into them."""
