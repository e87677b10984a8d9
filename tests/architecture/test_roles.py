"""What each function may do on AWS, action by action: no more than its code asks for."""

from typing import Any

import pytest

from infra.package.build import build
from infra.package.translate import translate

type Grant = tuple[str, str]

LOGS = {
    (f"logs:{action}", "log-group:/aws/lambda/${AWS::StackName}-*")
    for action in ("CreateLogGroup", "CreateLogStream", "PutLogEvents")
}
ROLES: dict[str, tuple[str, set[Grant]]] = {
    "APIHandler": (
        "DefaultRole",
        LOGS
        | {
            (f"dynamodb:{action}", table)
            for action in ("GetItem", "BatchGetItem", "PutItem", "UpdateItem")
            for table in ("MainTable", "TransientTable")
        }
        | {
            ("dynamodb:DeleteItem", "TransientTable"),
            ("dynamodb:Query", "${MainTable.Arn}/index/lists"),
            ("s3:GetObject", "${FilesBucket.Arn}/ws/*"),
            ("s3:DeleteObject", "${FilesBucket.Arn}/ws/*"),
            ("s3:PutObject", "${FilesBucket.Arn}/tmp/*"),
            ("s3:ListBucket", "FilesBucket"),
            ("s3:DeleteObject", "${FilesBucket.Arn}/tmp/*"),
            ("sqs:SendMessage", "RendersQueue"),
            ("lambda:InvokeFunction", "RenderFunction"),
            ("secretsmanager:GetSecretValue", "SigningSecret"),
        },
    ),
    "RenderFunction": (
        "RenderRole",
        LOGS
        | {
            (f"dynamodb:{action}", f"MainTable {partition}")
            for action in ("GetItem", "PutItem", "UpdateItem")
            for partition in ("WS#*#RND#*", "WS#*#LIM", "FILE#*")
        }
        | {
            ("s3:PutObject", "${FilesBucket.Arn}/ws/*"),
            ("s3:DeleteObject", "${FilesBucket.Arn}/ws/*"),
            ("s3:GetObject", "${FilesBucket.Arn}/tmp/*"),
            ("s3:DeleteObject", "${FilesBucket.Arn}/tmp/*"),
            ("sqs:ReceiveMessage", "RendersQueue"),
            ("sqs:DeleteMessage", "RendersQueue"),
            ("sqs:GetQueueAttributes", "RendersQueue"),
        },
    ),
}


@pytest.fixture(scope="module")
def translated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return translate(build(tmp_path_factory.mktemp("package"), dependencies=False).template)


def test_every_function_has_its_own_role(translated: dict[str, Any]) -> None:
    resources = translated["Resources"]
    roles = {
        name: resource["Properties"]["Role"]["Fn::GetAtt"][0]
        for name, resource in resources.items()
        if resource["Type"] == "AWS::Lambda::Function"
    }
    made = {name for name, resource in resources.items() if resource["Type"] == "AWS::IAM::Role"}

    assert roles == {function: role for function, (role, _) in ROLES.items()}
    assert made == set(roles.values())


@pytest.mark.parametrize("function", ROLES)
def test_a_role_may_do_this_and_nothing_else(translated: dict[str, Any], function: str) -> None:
    role, expected = ROLES[function]
    properties = translated["Resources"][role]["Properties"]

    found = {
        grant
        for policy in properties["Policies"]
        for statement in policy["PolicyDocument"]["Statement"]
        for grant in grants(statement)
    }

    assert found == expected
    assert properties.keys() == {"AssumeRolePolicyDocument", "Policies"}


def grants(statement: dict[str, Any]) -> set[Grant]:
    """Return (action, resource and, after a space, partition) of one statement."""
    assert statement["Effect"] == "Allow"
    assert statement.keys() <= {"Sid", "Effect", "Action", "Resource", "Condition"}
    resources = statement["Resource"]
    named = [target(each) for each in (resources if isinstance(resources, list) else [resources])]
    if "Condition" in statement:
        ((operator, condition),) = statement["Condition"].items()
        assert (operator, [*condition]) == ("ForAllValues:StringLike", ["dynamodb:LeadingKeys"])
        partitions = condition["dynamodb:LeadingKeys"]
        named = [f"{name} {partition}" for name in named for partition in partitions]
    return {(action, name) for action in statement["Action"] for name in named}


def target(resource: dict[str, Any]) -> str:
    ((kind, value),) = resource.items()
    if kind == "Fn::GetAtt":
        assert value[1] == "Arn"
        return str(value[0])
    return str(value).removeprefix("arn:${AWS::Partition}:logs:${AWS::Region}:${AWS::AccountId}:")
