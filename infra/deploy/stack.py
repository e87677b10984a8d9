"""CloudFormation stack: parameters, outputs, resources, failures and deletion."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Self
from urllib.parse import urlsplit

from boto3.session import Session
from botocore.exceptions import ClientError, WaiterError


class DeployError(Exception):
    """The deployment cannot go on; the message says what to do."""


class CloudFormationStack:
    """One stack by name; it need not exist yet."""

    def __init__(self, name: str, session: Session) -> None:
        """Bind to the stack of this name; makes no call."""
        self.name = name
        self._session = session
        self._client = session.client("cloudformation")

    @classmethod
    def of_stage(cls, stage: str, session: Session) -> Self:
        """Return the stack of a stage."""
        return cls(f"platen-{stage}", session)

    def exists(self) -> bool:
        """Tell whether the stack exists, in any status."""
        return self._description() is not None

    def parameters(self) -> dict[str, str]:
        """Return the parameters of the last deployment; empty if there was none."""
        description = self._description() or {}
        rows = description.get("Parameters", [])
        return {row["ParameterKey"]: row["ParameterValue"] for row in rows}

    def outputs(self) -> dict[str, str]:
        """Return the outputs; empty if the stack does not exist."""
        description = self._description() or {}
        return {row["OutputKey"]: row["OutputValue"] for row in description.get("Outputs", [])}

    def is_empty(self) -> bool:
        """Tell whether the first deployment failed; such a stack can only be deleted."""
        return (self._description() or {}).get("StackStatus") == "ROLLBACK_COMPLETE"

    def resources(self) -> Iterator[tuple[str, str, str]]:
        """Yield logical id, type and physical id of each resource."""
        for page in self._client.get_paginator("list_stack_resources").paginate(
            StackName=self.name
        ):
            for row in page["StackResourceSummaries"]:
                # Resources that a failed deployment removed again are still listed.
                if "PhysicalResourceId" in row and row["ResourceStatus"] != "DELETE_COMPLETE":
                    yield row["LogicalResourceId"], row["ResourceType"], row["PhysicalResourceId"]

    def log_groups(self) -> Iterator[str]:
        """Yield the existing log groups of the functions; the first log line creates one."""
        functions = (name for _, kind, name in self.resources() if kind == "AWS::Lambda::Function")
        own_groups = {f"/aws/lambda/{name}" for name in functions}
        pages = (
            self._session.client("logs")
            .get_paginator("describe_log_groups")
            .paginate(logGroupNamePrefix=f"/aws/lambda/{self.name}-")
        )
        for page in pages:
            # The prefix also matches a stage whose name begins with the name of this one.
            names = (group["logGroupName"] for group in page["logGroups"])
            yield from (name for name in names if name in own_groups)

    def publish_api(self) -> None:
        """Deploy the current API to its gateway stage.

        CloudFormation does not do so if only a parameter in the gateway responses has changed.
        """
        outputs = self.outputs()
        stage = urlsplit(outputs["EndpointURL"]).path.strip("/")
        gateway = self._session.client("apigateway")
        gateway.create_deployment(restApiId=outputs["RestAPIId"], stageName=stage)

    def template(self) -> Mapping[str, Any]:
        """Return the deployed template, translated from SAM."""
        response = self._client.get_template(StackName=self.name, TemplateStage="Processed")
        body: Any = response["TemplateBody"]
        template: Mapping[str, Any] = json.loads(body) if isinstance(body, str) else body
        return template

    def failures(self) -> list[str]:
        """Return the failures of the newest deployment, oldest first."""
        lines = []
        for event in self._client.describe_stack_events(StackName=self.name)["StackEvents"]:
            reason = event.get("ResourceStatusReason", "")
            if reason and event.get("ResourceStatus", "").endswith("_FAILED"):
                lines.append(f"{event['LogicalResourceId']}: {reason}")
            if reason == "User Initiated":
                break
        return lines[::-1]

    def delete(self) -> None:
        """Delete the stack and wait; raises DeployError with the failures."""
        self._client.delete_stack(StackName=self.name)
        waiter = self._client.get_waiter("stack_delete_complete")
        try:
            waiter.wait(StackName=self.name, WaiterConfig={"Delay": 5, "MaxAttempts": 360})
        except WaiterError as error:
            reasons = [f"{self.name} is not deleted: {error}", *self.failures()]
            raise DeployError("\n".join(reasons)) from error

    def _description(self) -> Any:
        try:
            (description,) = self._client.describe_stacks(StackName=self.name)["Stacks"]
        except ClientError as error:
            if "does not exist" in str(error):
                return None
            raise
        return description
