"""Requests of a page: interception, transfers and missing assets."""
