"""A stack of CloudFormation: its parameters and outputs, what it holds, why it failed."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Self
from urllib.parse import urlsplit

from boto3.session import Session
from botocore.exceptions import ClientError, WaiterError


class CloudFormationStack:
    """One stack by name; it need not exist yet."""

    def __init__(self, name: str, session: Session) -> None:
        """Ask nothing yet."""
        self.name = name
        self._session = session
        self._client = session.client("cloudformation")

    @classmethod
    def of_stage(cls, stage: str, session: Session) -> Self:
        """Return the stack of a stage."""
        return cls(f"platen-{stage}", session)

    def exists(self) -> bool:
        """Tell whether anything of it is there."""
        return self._description() is not None

    def parameters(self) -> dict[str, str]:
        """Return the parameters that it was deployed with; empty where it was not."""
        described = self._description() or {}
        rows = described.get("Parameters", [])
        return {row["ParameterKey"]: row["ParameterValue"] for row in rows}

    def outputs(self) -> dict[str, str]:
        """Return its outputs."""
        described = self._description() or {}
        return {row["OutputKey"]: row["OutputValue"] for row in described.get("Outputs", [])}

    def is_empty(self) -> bool:
        """Tell whether its first deployment failed: nothing is in it, and nothing can be."""
        return (self._description() or {}).get("StackStatus") == "ROLLBACK_COMPLETE"

    def resources(self) -> Iterator[tuple[str, str, str]]:
        """Yield logical id, type and physical id of what it holds."""
        for page in self._client.get_paginator("list_stack_resources").paginate(
            StackName=self.name
        ):
            for row in page["StackResourceSummaries"]:
                # What went with a deployment that failed is still listed.
                if "PhysicalResourceId" in row and row["ResourceStatus"] != "DELETE_COMPLETE":
                    yield row["LogicalResourceId"], row["ResourceType"], row["PhysicalResourceId"]

    def log_groups(self) -> Iterator[str]:
        """Yield the log groups of its functions that are there; they are made by the first line."""
        functions = (made for _, kind, made in self.resources() if kind == "AWS::Lambda::Function")
        ours = {f"/aws/lambda/{name}" for name in functions}
        pages = (
            self._session.client("logs")
            .get_paginator("describe_log_groups")
            .paginate(logGroupNamePrefix=f"/aws/lambda/{self.name}-")
        )
        for page in pages:
            # Another stage's name may begin with this one's.
            yield from (g["logGroupName"] for g in page["logGroups"] if g["logGroupName"] in ours)

    def publish_api(self) -> None:
        """Let the stage serve what the API is now.

        CloudFormation leaves it at what was deployed to it before, where nothing but a parameter
        in the gateway's own answers has changed.
        """
        outputs = self.outputs()
        stage = urlsplit(outputs["EndpointURL"]).path.strip("/")
        gateway = self._session.client("apigateway")
        gateway.create_deployment(restApiId=outputs["RestAPIId"], stageName=stage)

    def template(self) -> Mapping[str, Any]:
        """Return the template that it was deployed from, translated."""
        answer = self._client.get_template(StackName=self.name, TemplateStage="Processed")
        body: Any = answer["TemplateBody"]
        read: Mapping[str, Any] = json.loads(body) if isinstance(body, str) else body
        return read

    def failures(self) -> list[str]:
        """Return why its resources failed in the newest run, the first cause first."""
        lines = []
        for event in self._client.describe_stack_events(StackName=self.name)["StackEvents"]:
            reason = event.get("ResourceStatusReason", "")
            if reason and event.get("ResourceStatus", "").endswith("_FAILED"):
                lines.append(f"{event['LogicalResourceId']}: {reason}")
            if reason == "User Initiated":
                break
        return lines[::-1]

    def delete(self) -> None:
        """Delete it and wait until it is gone; raises DeployError with what cannot be deleted."""
        self._client.delete_stack(StackName=self.name)
        waiter = self._client.get_waiter("stack_delete_complete")
        try:
            waiter.wait(StackName=self.name, WaiterConfig={"Delay": 5, "MaxAttempts": 360})
        except WaiterError as error:
            reasons = [f"{self.name} is not deleted: {error}", *self.failures()]
            raise DeployError("\n".join(reasons)) from error

    def _description(self) -> Any:
        try:
            (described,) = self._client.describe_stacks(StackName=self.name)["Stacks"]
        except ClientError as error:
            if "does not exist" in str(error):
                return None
            raise
        return described


class DeployError(Exception):
    """The deployment cannot go on; the message says what to do."""
