"""Paged CSS that the browser does not read: found in style sheets, and drawn by several prints."""
