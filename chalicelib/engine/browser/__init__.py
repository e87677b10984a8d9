"""Drives headless Chromium; every document gets a context of its own and one way out."""
