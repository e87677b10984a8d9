"""Wiring: builds what the functions and the operator tool work with, each part on first use."""
