"""Connections of workspaces to providers of email."""
