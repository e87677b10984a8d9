"""Removal of a stack; the resources that it retains are listed, not deleted."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from infra.deploy.stack import CloudFormationStack, DeployError

# Commands that delete the resources with a deletion policy of retain.
_DELETE_COMMANDS: Final[Mapping[str, str]] = {
    "AWS::DynamoDB::Table": "aws dynamodb delete-table --table-name {}",
    "AWS::KMS::Key": "aws kms schedule-key-deletion --key-id {}",
    "AWS::S3::Bucket": "aws s3 rb --force s3://{}",
    "AWS::SQS::Queue": "aws sqs delete-queue --queue-url {}",
    "AWS::SecretsManager::Secret": "aws secretsmanager delete-secret --secret-id {}",
}
_DELETE_LOG_GROUP: Final = "aws logs delete-log-group --log-group-name {}"


@dataclass(frozen=True, slots=True)
class RetainedResources:
    """Commands that delete the data and the logs which a deleted stack leaves behind."""

    data_commands: list[str]
    log_commands: list[str]


def remove(stack: CloudFormationStack) -> RetainedResources:
    """Delete the stack and return the resources that it retains; raises DeployError."""
    if not stack.exists():
        raise DeployError(f"there is no stack {stack.name}")
    declared = stack.template()["Resources"]
    data = [
        _DELETE_COMMANDS[kind].format(physical)
        for logical, kind, physical in stack.resources()
        if declared.get(logical, {}).get("DeletionPolicy", "Delete") != "Delete"
    ]
    logs = [_DELETE_LOG_GROUP.format(group) for group in stack.log_groups()]
    stack.delete()
    return RetainedResources(data, logs)
