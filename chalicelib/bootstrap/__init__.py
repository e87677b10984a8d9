"""Wiring: builds the services of the functions and of the operator tool."""
