"""Deployment and removal of a stack, with an in-process AWS and without its command line."""

import itertools
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import boto3
import pytest
from boto3.session import Session
from click.testing import CliRunner
from moto import mock_aws

from infra.deploy.__main__ import main
from infra.deploy.account import AwsAccount
from infra.deploy.remove import remove
from infra.deploy.stack import CloudFormationStack, DeployError
from infra.deploy.update import CLEAR_VALUE, UNKNOWN_HOST, deployment_parameters, update

REGION = "eu-central-1"
OWN = "https://abc.execute-api.eu-central-1.amazonaws.com/live"
OWN_FILES = "https://abc.lambda-url.eu-central-1.on.aws"
NUMBERS = itertools.count()
TEMPLATE: dict[str, Any] = {
    "Parameters": {
        "ApiHost": {"Type": "String"},
        "FilesHost": {"Type": "String"},
        "GatewayUrl": {"Type": "String", "Default": ""},
        "EgressAllow": {"Type": "String", "Default": ""},
        "Tenancy": {"Type": "String", "Default": "isolated"},
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
    "Outputs": {
        "EndpointURL": {"Value": f"{OWN}/"},
        "FilesURL": {"Value": f"{OWN_FILES}/"},
        "RestAPIId": {"Value": {"Ref": "Api"}},
    },
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
    # Other tests of this process may share this AWS.
    return f"deploy-{next(NUMBERS)}"


@pytest.fixture
def stack(stage: str) -> CloudFormationStack:
    return CloudFormationStack.of_stage(stage, Session())


class CommandLine:
    """Fake `aws` command: deploys with boto3 and records the parameters."""

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
            return  # An empty change is no failure.
        client = boto3.client("cloudformation")
        act = client.update_stack if len(self.deployed) > 1 else client.create_stack
        act(
            StackName=words[words.index("--stack-name") + 1],
            TemplateBody=Path(words[words.index("--template-file") + 1]).read_text(),
            Parameters=[
                {"ParameterKey": key, "ParameterValue": value} for key, value in parameters.items()
            ],
        )


def hosts(api: str, files: str, gateway: str | None = None) -> dict[str, str]:
    gateway_url = {} if gateway is None else {"GatewayUrl": gateway}
    return {"ApiHost": api, "FilesHost": files, **gateway_url}


A, F = "https://a", "https://f"
UNKNOWN = hosts(UNKNOWN_HOST, UNKNOWN_HOST, UNKNOWN_HOST)
UNKNOWN_URLS = hosts(A, UNKNOWN_HOST, UNKNOWN_HOST)
ALLOW = {"EgressAllow": "10.0.0.0/8:443"}


@pytest.mark.parametrize(
    ("given", "present", "expected"),
    [
        (hosts("", ""), {}, UNKNOWN),
        (hosts("", ""), hosts(A, F, OWN), hosts(A, F, OWN)),
        (hosts(A, ""), {}, hosts(A, UNKNOWN_HOST, UNKNOWN_HOST)),
        (hosts(A, F), hosts(A, F, ""), hosts(A, F, UNKNOWN_HOST)),
        (hosts("", F), {}, hosts(UNKNOWN_HOST, F, UNKNOWN_HOST)),
        (hosts(A, ""), hosts(OWN, OWN_FILES, OWN), hosts(A, OWN_FILES, OWN)),
        (hosts("https://b", ""), hosts(A, F, OWN), hosts("https://b", F, OWN)),
        (hosts("", ""), UNKNOWN, UNKNOWN),
        (ALLOW | {"ApiHost": A}, {}, ALLOW | UNKNOWN_URLS),
        ({"EgressAllow": CLEAR_VALUE, "ApiHost": A}, ALLOW, {"EgressAllow": ""} | UNKNOWN_URLS),
    ],
)
def test_parameters_are_given_or_kept(
    given: dict[str, str], present: dict[str, str], expected: dict[str, str]
) -> None:
    assert deployment_parameters(given, present) == expected


def test_first_deployment_learns_its_url_and_the_second_keeps_it(
    stack: CloudFormationStack, tmp_path: Path
) -> None:
    run = CommandLine()

    assert update(stack, "bucket", tmp_path, hosts("", ""), run) == OWN
    assert run.deployed == [UNKNOWN, hosts(OWN, OWN_FILES, OWN)]

    assert update(stack, "bucket", tmp_path, hosts("", ""), run) == OWN
    assert run.deployed[2:] == [hosts(OWN, OWN_FILES, OWN)]


def test_files_leave_the_host_of_the_api(stack: CloudFormationStack, tmp_path: Path) -> None:
    run = CommandLine()
    update(stack, "bucket", tmp_path, hosts(A, A), run)

    update(stack, "bucket", tmp_path, hosts("", ""), run)

    assert run.deployed[-1] == hosts(A, OWN_FILES, OWN)


def test_the_stage_serves_what_was_deployed_last(
    stack: CloudFormationStack, tmp_path: Path
) -> None:
    update(stack, "bucket", tmp_path, hosts(A, ""), CommandLine())

    gateway = boto3.client("apigateway")
    api = stack.outputs()["RestAPIId"]
    (stage,) = gateway.get_stages(restApiId=api)["item"]
    created, published = gateway.get_deployments(restApiId=api)["items"]
    assert stage["stageName"] == "live"
    assert stage["deploymentId"] == published["id"] != created["id"]


def test_api_with_a_domain_learns_its_gateway_url_once(
    stack: CloudFormationStack, tmp_path: Path
) -> None:
    run = CommandLine()

    assert update(stack, "bucket", tmp_path, hosts(A, ""), run) == A
    assert run.deployed == [hosts(A, UNKNOWN_HOST, UNKNOWN_HOST), hosts(A, OWN_FILES, OWN)]

    assert update(stack, "bucket", tmp_path, hosts("", ""), run) == A
    assert run.deployed[2:] == [hosts(A, OWN_FILES, OWN)]


def test_networks_and_tenancy_come_from_the_environment(
    stage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = CommandLine()
    monkeypatch.setenv("EGRESS_ALLOW", "10.20.0.0/16:443")
    monkeypatch.setenv("TENANCY", "shared")
    monkeypatch.setattr("infra.deploy.__main__.build", lambda _folder: None)
    monkeypatch.setattr("infra.deploy.__main__.update", partial(update, run=run))

    result = CliRunner().invoke(main, ["up", "--stage", stage, "--folder", str(tmp_path)])

    assert result.exit_code == 0, result.output
    assert run.deployed[-1] == {
        "Tenancy": "shared",
        **hosts(OWN, OWN_FILES, OWN),
        "EgressAllow": "10.20.0.0/16:443",
    }


def test_failed_deployment_reports_the_aws_error(
    stack: CloudFormationStack, tmp_path: Path
) -> None:
    run = CommandLine()
    run.fails = True

    with pytest.raises(DeployError, match="cloudformation deploy failed"):
        update(stack, "bucket", tmp_path, hosts("", ""), run)


def test_failed_first_deployment_does_not_block_the_next(
    stack: CloudFormationStack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = CommandLine()
    allowed = {"EgressAllow": "10.0.0.0/8:443"}
    update(stack, "bucket", tmp_path, hosts(A, "") | allowed, run)
    run.deployed.clear()
    # moto does not roll back.
    monkeypatch.setattr(CloudFormationStack, "is_empty", lambda _stack: True)

    assert update(stack, "bucket", tmp_path, hosts("", ""), run) == A

    ((created,),) = [run.deployed]
    assert created == hosts(A, OWN_FILES, OWN) | allowed | {"Tenancy": "isolated"}
    assert [event for event in statuses(stack) if event == "CREATE_COMPLETE"]


def statuses(stack: CloudFormationStack) -> list[str]:
    """Return the states of a stack, newest first."""
    result = boto3.client("cloudformation").describe_stacks(StackName=stack.name)["Stacks"]
    return [row["StackStatus"] for row in result]


def test_retained_resources_are_listed_with_their_removal_commands(
    stage: str, stack: CloudFormationStack, tmp_path: Path
) -> None:
    update(stack, "bucket", tmp_path, hosts(A, ""), CommandLine())
    physical = {logical: name for logical, _, name in stack.resources()}
    group = f"/aws/lambda/{physical['Function']}"
    for name in (group, f"/aws/lambda/{stack.name}-of-another-stage"):
        boto3.client("logs").create_log_group(logGroupName=name)

    result = CliRunner().invoke(main, ["down", "--stage", stage])

    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[0] == f"platen-{stage} is deleted."
    assert commands(result.stdout) == [
        f"aws sqs delete-queue --queue-url {physical['Kept']}",
        f"aws s3 rb --force s3://{physical['Bucket']}",
        f"aws logs delete-log-group --log-group-name {group}",
        f"aws s3 rb --force s3://platen-artifacts-123456789012-{REGION}",
    ]
    assert not stack.exists()


def commands(result: str) -> list[str]:
    """Return the commands that a removal prints, which are indented."""
    return [line.strip() for line in result.splitlines() if line.startswith("  ")]


def test_missing_stack_cannot_be_removed(stack: CloudFormationStack) -> None:
    with pytest.raises(DeployError, match=f"there is no stack {stack.name}"):
        remove(stack)


def test_bucket_is_created_once_and_private() -> None:
    account = AwsAccount.from_environment()

    names = {account.ensure_artifacts_bucket() for _ in range(2)}

    assert names == {f"platen-artifacts-123456789012-{REGION}"}
    blocked = boto3.client("s3").get_public_access_block(Bucket=names.pop())
    assert set(blocked["PublicAccessBlockConfiguration"].values()) == {True}
