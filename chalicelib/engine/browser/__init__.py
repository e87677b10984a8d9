"""Headless Chromium: one browser context per document, one proxied way to the network."""
