"""Reads from a translated template what the role of a function lets it do."""

from collections.abc import Mapping
from typing import Any, Final

from infra.package.needs import Grant

_LOGS: Final = "arn:${AWS::Partition}:logs:${AWS::Region}:${AWS::AccountId}:"


def role_of(template: Mapping[str, Any], function: str) -> str:
    """Return the logical id of a function's role."""
    role: str = template["Resources"][function]["Properties"]["Role"]["Fn::GetAtt"][0]
    return role


def granted(template: Mapping[str, Any], role: str) -> frozenset[Grant]:
    """Return everything that a role allows."""
    policies = template["Resources"][role]["Properties"]["Policies"]
    return frozenset(
        grant
        for policy in policies
        for statement in policy["PolicyDocument"]["Statement"]
        for grant in _of_statement(statement)
    )


def _of_statement(statement: Mapping[str, Any]) -> set[Grant]:
    assert statement["Effect"] == "Allow"
    assert statement.keys() <= {"Sid", "Effect", "Action", "Resource", "Condition"}
    resources = statement["Resource"]
    named = [_name(each) for each in (resources if isinstance(resources, list) else [resources])]
    if "Condition" in statement:
        ((operator, condition),) = statement["Condition"].items()
        assert (operator, [*condition]) == ("ForAllValues:StringLike", ["dynamodb:LeadingKeys"])
        partitions = condition["dynamodb:LeadingKeys"]
        named = [f"{name} {partition}" for name in named for partition in partitions]
    return {(action, name) for action in statement["Action"] for name in named}


def _name(resource: Mapping[str, Any]) -> str:
    ((kind, value),) = resource.items()
    if kind == "Fn::GetAtt":
        assert value[1] == "Arn"
        return str(value[0])
    return str(value).removeprefix(_LOGS)
