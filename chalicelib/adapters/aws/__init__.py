"""AWS through boto3, and nothing else does."""
