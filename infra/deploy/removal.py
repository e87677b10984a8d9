"""Deletes a stack and tells what outlives it."""

from collections.abc import Mapping
from typing import Final

from infra.deploy.errors import DeployError
from infra.deploy.stack import Stack

# What removes a resource that its stack leaves behind.
_COMMANDS: Final[Mapping[str, str]] = {
    "AWS::DynamoDB::Table": "aws dynamodb delete-table --table-name {}",
    "AWS::KMS::Key": "aws kms schedule-key-deletion --key-id {}",
    "AWS::S3::Bucket": "aws s3 rb --force s3://{}",
    "AWS::SQS::Queue": "aws sqs delete-queue --queue-url {}",
    "AWS::SecretsManager::Secret": "aws secretsmanager delete-secret --secret-id {}",
}


def remove(stack: Stack) -> list[str]:
    """Delete the stack; return the commands that remove what is kept. Raises DeployError."""
    if not stack.exists():
        raise DeployError(f"there is no stack {stack.name}")
    declared = stack.template()["Resources"]
    kept = [
        _COMMANDS[kind].format(physical)
        for logical, kind, physical in stack.resources()
        if declared.get(logical, {}).get("DeletionPolicy", "Delete") != "Delete"
    ]
    stack.delete()
    return kept
