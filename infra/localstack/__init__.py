"""Plug-ins of LocalStack: functions run as bare processes, DynamoDB is dynoxide (decision 12)."""
