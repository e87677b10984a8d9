"""Use cases by resource; know workspaces and storage, never HTTP and never boto3."""
