"""Finishing of a file after the browser has made it; bytes in, bytes out."""
