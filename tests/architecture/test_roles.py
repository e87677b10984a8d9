"""Roles of the functions, action by action: no more than the code needs."""

from typing import Any

import pytest

from infra.package.check import role_grants, role_name
from infra.package.needs import NEEDS


def test_every_function_has_a_separate_role(translated: dict[str, Any]) -> None:
    kinds = {name: resource["Type"] for name, resource in translated["Resources"].items()}
    functions = {name for name, kind in kinds.items() if kind == "AWS::Lambda::Function"}
    roles = sorted(role_name(translated, function) for function in functions)

    assert functions == NEEDS.keys()
    assert roles == sorted(name for name, kind in kinds.items() if kind == "AWS::IAM::Role")


@pytest.mark.parametrize("function", NEEDS)
def test_role_grants_exactly_the_needed_actions(translated: dict[str, Any], function: str) -> None:
    role = role_name(translated, function)

    assert role_grants(translated, role) == NEEDS[function].grants
    properties = translated["Resources"][role]["Properties"]
    assert properties.keys() == {"AssumeRolePolicyDocument", "Policies"}
