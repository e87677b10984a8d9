"""The operator tool: what a person who runs the service does from a shell."""
