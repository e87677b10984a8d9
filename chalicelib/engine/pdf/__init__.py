"""PDFs as documents and as text: all that knows their objects (ISO 32000-1).

Functions take a document, or its bytes, and a callable that warns; they know no job, tool or
finisher.
"""
