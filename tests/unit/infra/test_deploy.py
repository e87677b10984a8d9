"""Deploying and removing a stack, with an AWS in this process and without its command line."""

import datetime as dt
import itertools
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import boto3
import pytest
from boto3.session import Session
from botocore.exceptions import WaiterError
from botocore.stub import Stubber
from click.testing import CliRunner
from moto import mock_aws

from infra.deploy import awscli
from infra.deploy.__main__ import main
from infra.deploy.account import Account
from infra.deploy.errors import DeployError
from infra.deploy.removal import remove
from infra.deploy.stack import Stack
from infra.deploy.update import NONE, UNKNOWN, update, wanted

REGION = "eu-central-1"
OWN = "https://abc.execute-api.eu-central-1.amazonaws.com/live"
NUMBERS = itertools.count()
MOMENT = dt.datetime(2026, 11, 21, tzinfo=dt.UTC)
TEMPLATE: dict[str, Any] = {
    "Parameters": {
        "ApiHost": {"Type": "String"},
        "FilesHost": {"Type": "String"},
        "EgressAllow": {"Type": "String", "Default": ""},
        "SmtpUrl": {"Type": "String", "Default": "", "NoEcho": True},
    },
    "Resources": {
        "Kept": {"Type": "AWS::SQS::Queue", "DeletionPolicy": "Retain"},
        "Gone": {"Type": "AWS::SQS::Queue"},
        "Api": {"Type": "AWS::ApiGateway::RestApi", "Properties": {"Name": "api"}},
        "Root": {
            "Type": "AWS::ApiGateway::Method",
            "Properties": {
                "RestApiId": {"Ref": "Api"},
                "ResourceId": {"Fn::GetAtt": ["Api", "RootResourceId"]},
                "HttpMethod": "GET",
                "AuthorizationType": "NONE",
                "Integration": {
                    "Type": "HTTP_PROXY",
                    "IntegrationHttpMethod": "GET",
                    "Uri": "https://a.test",
                },
            },
        },
        "Deployment": {
            "Type": "AWS::ApiGateway::Deployment",
            "DependsOn": "Root",
            "Properties": {"RestApiId": {"Ref": "Api"}, "StageName": "live"},
        },
        "Bucket": {"Type": "AWS::S3::Bucket", "DeletionPolicy": "Retain"},
        "Role": {
            "Type": "AWS::IAM::Role",
            "Properties": {"AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": []}},
        },
        "Function": {
            "Type": "AWS::Lambda::Function",
            "Properties": {
                "Code": {"ZipFile": "def run(event, context): ..."},
                "Handler": "index.run",
                "Role": {"Fn::GetAtt": ["Role", "Arn"]},
                "Runtime": "python3.13",
            },
        },
    },
    "Outputs": {"EndpointURL": {"Value": f"{OWN}/"}, "RestAPIId": {"Value": {"Ref": "Api"}}},
}


@pytest.fixture(autouse=True)
def _account(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", REGION)
    with mock_aws():
        yield


@pytest.fixture
def stage() -> str:
    # Other tests of this process may share their AWS with these.
    return f"deploy-{next(NUMBERS)}"


@pytest.fixture
def stack(stage: str) -> Stack:
    return Stack.of_stage(stage, Session())


class CommandLine:
    """Stands for `aws`: deploys with boto3, and remembers with which parameters."""

    def __init__(self) -> None:
        self.deployed: list[dict[str, str]] = []
        self.fails = False

    def __call__(self, *words: str) -> None:
        if words[1] == "package":
            Path(words[words.index("--output-template-file") + 1]).write_text(json.dumps(TEMPLATE))
            return
        if self.fails:
            raise DeployError("aws cloudformation deploy failed:")
        overrides = words[words.index("--parameter-overrides") + 1 :]
        parameters = dict(word.split("=", 1) for word in overrides)
        self.deployed.append(parameters)
        if self.deployed[-2:] == [parameters, parameters]:
            return  # an empty change is no failure
        client = boto3.client("cloudformation")
        act = client.update_stack if len(self.deployed) > 1 else client.create_stack
        act(
            StackName=words[words.index("--stack-name") + 1],
            TemplateBody=Path(words[words.index("--template-file") + 1]).read_text(),
            Parameters=[
                {"ParameterKey": key, "ParameterValue": value} for key, value in parameters.items()
            ],
        )


def hosts(api: str, files: str) -> dict[str, str]:
    return {"ApiHost": api, "FilesHost": files}


@pytest.mark.parametrize(
    ("given", "present", "expected"),
    [
        (hosts("", ""), {}, hosts(UNKNOWN, UNKNOWN)),
        (hosts("", ""), hosts("https://a", "https://f"), hosts("https://a", "https://f")),
        (hosts("https://a", ""), {}, hosts("https://a", "https://a")),
        (hosts("https://a", "https://f"), {}, hosts("https://a", "https://f")),
        (hosts("", "https://f"), {}, hosts(UNKNOWN, "https://f")),
        (hosts("https://a", ""), hosts(OWN, OWN), hosts("https://a", "https://a")),
        (hosts("https://b", ""), hosts("https://a", "https://f"), hosts("https://b", "https://f")),
        (hosts("", ""), hosts(UNKNOWN, UNKNOWN), hosts(UNKNOWN, UNKNOWN)),
        (
            {"EgressAllow": "10.0.0.0/8:443", "SmtpUrl": "", "ApiHost": "https://a"},
            {"SmtpUrl": "****"},
            {"EgressAllow": "10.0.0.0/8:443", **hosts("https://a", "https://a")},
        ),
        (
            {"EgressAllow": NONE, "SmtpUrl": NONE, "ApiHost": "https://a"},
            {"SmtpUrl": "****", "EgressAllow": "10.0.0.0/8:443"},
            {"EgressAllow": "", "SmtpUrl": "", **hosts("https://a", "https://a")},
        ),
    ],
)
def test_parameters_are_given_or_kept_and_files_follow_the_api(
    given: dict[str, str], present: dict[str, str], expected: dict[str, str]
) -> None:
    assert wanted(given, present) == expected


def test_a_first_deployment_learns_its_address_and_a_second_keeps_it(
    stack: Stack, tmp_path: Path
) -> None:
    run = CommandLine()

    assert update(stack, "bucket", tmp_path, hosts("", ""), run) == OWN
    assert run.deployed == [hosts(UNKNOWN, UNKNOWN), hosts(OWN, OWN)]

    assert update(stack, "bucket", tmp_path, hosts("", ""), run) == OWN
    assert run.deployed[2:] == [hosts(OWN, OWN)]


def test_the_stage_serves_what_was_deployed_last(stack: Stack, tmp_path: Path) -> None:
    update(stack, "bucket", tmp_path, hosts("https://a", ""), CommandLine())

    gateway = boto3.client("apigateway")
    api = stack.outputs()["RestAPIId"]
    (stage,) = gateway.get_stages(restApiId=api)["item"]
    created, published = gateway.get_deployments(restApiId=api)["items"]
    assert stage["stageName"] == "live"
    assert stage["deploymentId"] == published["id"] != created["id"]


def test_a_domain_of_its_own_needs_one_pass(stack: Stack, tmp_path: Path) -> None:
    run = CommandLine()

    assert update(stack, "bucket", tmp_path, hosts("https://a", ""), run) == "https://a"
    assert run.deployed == [hosts("https://a", "https://a")]


def test_networks_and_mail_come_from_the_environment(
    stage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = CommandLine()
    monkeypatch.setenv("EGRESS_ALLOW", "10.20.0.0/16:443")
    monkeypatch.setenv("SMTP_URL", "smtp://me:a=b@mail.test?from=a@b.test")
    monkeypatch.setattr("infra.deploy.__main__.build", lambda _folder: None)
    monkeypatch.setattr("infra.deploy.__main__.update", partial(update, run=run))

    told = CliRunner().invoke(main, ["up", "--stage", stage, "--folder", str(tmp_path)])

    assert told.exit_code == 0, told.output
    assert run.deployed[-1] == {
        **hosts(OWN, OWN),
        "EgressAllow": "10.20.0.0/16:443",
        "SmtpUrl": "smtp://me:a=b@mail.test?from=a@b.test",
    }


def test_of_an_upload_that_failed_the_last_words_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = tmp_path / "aws"
    command.write_text(
        "#!/bin/sh\nprintf 'up 1%%\\rup 50%%\\rno room\\n\\nsorry\\n' >&2\nexit 255\n"
    )
    command.chmod(0o755)
    monkeypatch.setattr(awscli, "_AWS", command)
    monkeypatch.setattr(awscli, "_install", lambda: None)

    with pytest.raises(DeployError) as failed:
        awscli.aws("cloudformation", "package", "--s3-bucket", "b")

    assert str(failed.value).splitlines() == [
        "aws cloudformation package failed:",
        "no room",
        "sorry",
    ]


def test_a_failed_deployment_tells_what_aws_said(stack: Stack, tmp_path: Path) -> None:
    run = CommandLine()
    run.fails = True

    with pytest.raises(DeployError, match="cloudformation deploy failed"):
        update(stack, "bucket", tmp_path, hosts("", ""), run)


def test_what_a_failed_first_deployment_left_is_in_nobodys_way(
    stack: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = CommandLine()
    update(stack, "bucket", tmp_path, hosts("https://a", ""), run)
    run.deployed.clear()
    # moto rolls nothing back.
    monkeypatch.setattr(Stack, "is_empty", lambda _stack: True)

    assert update(stack, "bucket", tmp_path, hosts("", ""), run) == "https://a"

    ((created,),) = [run.deployed]
    assert created == hosts("https://a", "https://a")
    assert [event for event in statuses(stack) if event == "CREATE_COMPLETE"]


def statuses(stack: Stack) -> list[str]:
    """Return the states of a stack, newest first."""
    told = boto3.client("cloudformation").describe_stacks(StackName=stack.name)["Stacks"]
    return [row["StackStatus"] for row in told]


def answering(operation: str, answer: dict[str, Any]) -> Stack:
    """Return a stack of which AWS says this."""
    session = Session()
    stack = Stack("platen-told", session)
    stubber = Stubber(stack._client)
    stubber.add_response(operation, answer)
    stubber.activate()
    return stack


def test_a_stack_whose_first_deployment_failed_is_empty() -> None:
    for status in ("ROLLBACK_COMPLETE", "CREATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE"):
        told = {"StackName": "platen-told", "StackStatus": status, "CreationTime": MOMENT}

        stack = answering("describe_stacks", {"Stacks": [told]})

        assert stack.is_empty() == (status == "ROLLBACK_COMPLETE")


def test_what_went_with_a_failed_deployment_is_not_there() -> None:
    def row(name: str, status: str) -> dict[str, Any]:
        return {
            "LogicalResourceId": name,
            "PhysicalResourceId": name.lower(),
            "ResourceType": "AWS::SQS::Queue",
            "ResourceStatus": status,
            "LastUpdatedTimestamp": MOMENT,
        }

    rows = [row("Gone", "DELETE_COMPLETE"), row("There", "CREATE_COMPLETE")]
    stack = answering("list_stack_resources", {"StackResourceSummaries": rows})

    assert [*stack.resources()] == [("There", "AWS::SQS::Queue", "there")]


def test_what_is_kept_is_told_with_the_command_that_removes_it(
    stage: str, stack: Stack, tmp_path: Path
) -> None:
    update(stack, "bucket", tmp_path, hosts("https://a", ""), CommandLine())
    physical = {logical: name for logical, _, name in stack.resources()}
    group = f"/aws/lambda/{physical['Function']}"
    for name in (group, f"/aws/lambda/{stack.name}-of-another-stage"):
        boto3.client("logs").create_log_group(logGroupName=name)

    told = CliRunner().invoke(main, ["down", "--stage", stage])

    assert told.exit_code == 0, told.output
    assert told.stdout.splitlines()[0] == f"platen-{stage} is deleted."
    assert commands(told.stdout) == [
        f"aws sqs delete-queue --queue-url {physical['Kept']}",
        f"aws s3 rb --force s3://{physical['Bucket']}",
        f"aws logs delete-log-group --log-group-name {group}",
        f"aws s3 rb --force s3://platen-artifacts-123456789012-{REGION}",
    ]
    assert not stack.exists()


def commands(told: str) -> list[str]:
    """Return the commands that a removal prints, which are indented."""
    return [line.strip() for line in told.splitlines() if line.startswith("  ")]


def test_what_cannot_be_deleted_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    stack = answering("delete_stack", {})
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

    with pytest.raises(DeployError) as told:
        stack.delete()

    first, *others = str(told.value).splitlines()
    assert first.startswith("platen-told is not deleted: ")
    assert others == [f"Api: {reason}"]


def test_a_stack_that_is_not_there_cannot_be_removed(stack: Stack) -> None:
    with pytest.raises(DeployError, match=f"there is no stack {stack.name}"):
        remove(stack)


def test_the_bucket_is_made_once_and_private() -> None:
    account = Account.of_environment()

    names = {account.artifacts_bucket() for _ in range(2)}

    assert names == {f"platen-artifacts-123456789012-{REGION}"}
    blocked = boto3.client("s3").get_public_access_block(Bucket=names.pop())
    assert set(blocked["PublicAccessBlockConfiguration"].values()) == {True}


@pytest.mark.parametrize(
    ("variable", "told"),
    [
        ("AWS_DEFAULT_REGION", "no region is set: export AWS_DEFAULT_REGION="),
        ("AWS_ACCESS_KEY_ID", "AWS does not know who this is"),
    ],
)
def test_what_the_environment_lacks_is_told_first(
    monkeypatch: pytest.MonkeyPatch, variable: str, told: str
) -> None:
    monkeypatch.delenv(variable)
    monkeypatch.setenv("AWS_CONFIG_FILE", "absent")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "absent")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")

    ran = CliRunner().invoke(main, ["up", "--stage", "one"])

    assert ran.exit_code == 1
    assert told in ran.stderr


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--stage", ""], "name a stage, like STAGE=production"),
        (["--stage", "Production"], "small letters, digits and hyphens"),
        (["--stage", "one", "--api-host", "api.example.com"], "is no address like https://"),
        (["--stage", "one", "--api-host", "https://a/v1"], "name what stands before it"),
        (["--stage", "one", "--egress-allow", "10.0.0.0/8"], "--egress-allow"),
        (["--stage", "one", "--smtp-url", "mail.test"], "smtp://[user:password@]host"),
    ],
)
def test_wrong_use_is_told(options: list[str], told: str) -> None:
    ran = CliRunner().invoke(main, ["up", *options])

    assert ran.exit_code == 2
    assert told in ran.stderr
