"""What one workspace can take from another."""
