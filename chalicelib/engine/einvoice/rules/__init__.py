"""Business rules of invoices (EN 16931, XRechnung), checked before any XML is written.

Findings name fields of the request, which the official rule sheets cannot do. The validators run
those sheets on the XML afterwards.
"""
