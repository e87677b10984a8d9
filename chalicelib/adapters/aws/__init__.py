"""AWS services through boto3; no other package imports boto3."""
