"""Headless Chromium with the libraries it needs."""
