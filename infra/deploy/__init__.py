"""Deployment of the package to the AWS account, or other endpoint, of the AWS variables."""
