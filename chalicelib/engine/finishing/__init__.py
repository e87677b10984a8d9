"""Finishing of a file after the browser has made it; bytes in, bytes out.

Slow files are finished in a process of their own: `engine/formats/finish_file.py`.
"""
