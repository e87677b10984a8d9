"""Build of the deployment package: the SAM template and its archives (decision 8)."""
