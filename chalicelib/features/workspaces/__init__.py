"""Workspaces: who they are, what their plan allows, their keys and what they use."""
