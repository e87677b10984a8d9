"""Failed deployments and removals: the AWS error and the remedy are printed."""

import datetime as dt
from pathlib import Path
from typing import Any

import pytest
from boto3.session import Session
from botocore.exceptions import WaiterError
from botocore.stub import Stubber
from click.testing import CliRunner

from infra.deploy import update
from infra.deploy.__main__ import main
from infra.deploy.stack import CloudFormationStack, DeployError

MOMENT = dt.datetime(2026, 11, 21, tzinfo=dt.UTC)


@pytest.fixture(autouse=True)
def _account(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")


def test_failed_upload_reports_its_last_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = tmp_path / "aws"
    command.write_text(
        "#!/bin/sh\nprintf 'up 1%%\\rup 50%%\\rno room\\n\\nsorry\\n' >&2\nexit 255\n"
    )
    command.chmod(0o755)
    monkeypatch.setattr(update, "_AWS_PROGRAM", command)
    monkeypatch.setattr(update, "_install_awscli", lambda: None)

    with pytest.raises(DeployError) as failed:
        update.run_aws("cloudformation", "package", "--s3-bucket", "b")

    assert str(failed.value).splitlines() == [
        "aws cloudformation package failed:",
        "no room",
        "sorry",
    ]


def stack_answering(operation: str, answer: dict[str, Any]) -> CloudFormationStack:
    """Return a stack with this prepared AWS answer."""
    session = Session()
    stack = CloudFormationStack("platen-told", session)
    stubber = Stubber(stack._client)
    stubber.add_response(operation, answer)
    stubber.activate()
    return stack


def test_a_stack_whose_first_deployment_failed_is_empty() -> None:
    for status in ("ROLLBACK_COMPLETE", "CREATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE"):
        stack_row = {"StackName": "platen-told", "StackStatus": status, "CreationTime": MOMENT}

        stack = stack_answering("describe_stacks", {"Stacks": [stack_row]})

        assert stack.is_empty() == (status == "ROLLBACK_COMPLETE")


def test_deleted_resources_of_a_failed_deployment_are_not_listed() -> None:
    def row(name: str, status: str) -> dict[str, Any]:
        return {
            "LogicalResourceId": name,
            "PhysicalResourceId": name.lower(),
            "ResourceType": "AWS::SQS::Queue",
            "ResourceStatus": status,
            "LastUpdatedTimestamp": MOMENT,
        }

    rows = [row("Gone", "DELETE_COMPLETE"), row("There", "CREATE_COMPLETE")]
    stack = stack_answering("list_stack_resources", {"StackResourceSummaries": rows})

    assert [*stack.resources()] == [("There", "AWS::SQS::Queue", "there")]


def test_undeletable_resources_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    stack = stack_answering("delete_stack", {})
    reason = "Resource being deleted has a role that is not there"
    failed = {"LogicalResourceId": "Api", "ResourceStatus": "DELETE_FAILED"}
    monkeypatch.setattr(
        stack._client,
        "describe_stack_events",
        lambda **_name: {"StackEvents": [failed, failed | {"ResourceStatusReason": reason}]},
    )

    class Waiter:
        def wait(self, **_options: Any) -> None:
            raise WaiterError("StackDeleteComplete", "DELETE_FAILED was met", {})

    monkeypatch.setattr(stack._client, "get_waiter", lambda _name: Waiter())

    with pytest.raises(DeployError) as error:
        stack.delete()

    first, *others = str(error.value).splitlines()
    assert first.startswith("platen-told is not deleted: ")
    assert others == [f"Api: {reason}"]


@pytest.mark.parametrize(
    ("variable", "message"),
    [
        ("AWS_DEFAULT_REGION", "no region is set: export AWS_DEFAULT_REGION="),
        ("AWS_ACCESS_KEY_ID", "AWS does not know who this is"),
    ],
)
def test_missing_environment_is_reported_first(
    monkeypatch: pytest.MonkeyPatch, variable: str, message: str
) -> None:
    monkeypatch.delenv(variable)
    monkeypatch.setenv("AWS_CONFIG_FILE", "absent")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "absent")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")

    ran = CliRunner().invoke(main, ["up", "--stage", "one"])

    assert ran.exit_code == 1
    assert message in ran.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--stage", ""], "name a stage, like STAGE=production"),
        (["--stage", "Production"], "small letters, digits and hyphens"),
        (["--stage", "one", "--api-host", "api.example.com"], "is no address like https://"),
        (["--stage", "one", "--api-host", "https://a/v1"], "name what stands before it"),
        (["--stage", "one", "--egress-allow", "10.0.0.0/8"], "--egress-allow"),
        (["--stage", "one", "--tenancy", "none"], "'isolated', 'shared'"),
    ],
)
def test_wrong_usage_is_reported(options: list[str], message: str) -> None:
    ran = CliRunner().invoke(main, ["up", *options])

    assert ran.exit_code == 2
    assert message in ran.stderr
