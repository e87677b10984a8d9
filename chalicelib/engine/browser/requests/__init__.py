"""Requests of a page: which are let through, what they transfer, which assets failed."""
