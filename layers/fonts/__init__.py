"""Fonts and their fontconfig file."""
