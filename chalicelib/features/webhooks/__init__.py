"""Webhooks: endpoints of workspaces, deliveries of events to them, and their log."""
