"""Workspaces: tenants with their plans, API keys, people and limits."""
