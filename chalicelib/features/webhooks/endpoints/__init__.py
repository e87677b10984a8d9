"""Endpoints of workspaces, their secrets, and which of them are the default ones."""
