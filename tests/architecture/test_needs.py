"""Needs of functions: a missing variable, layer or action is named before deployment."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from moto import mock_aws

from chalicelib.settings.table import setting
from infra import template as infra_template
from infra.deploy.__main__ import main
from infra.package.check import missing_needs, role_name
from infra.package.needs import NEEDS


@pytest.fixture
def translated(translated: dict[str, Any]) -> dict[str, Any]:
    """Give a copy that the test changes."""
    return copy.deepcopy(translated)


# Variables with a default in a layer, and variables that only tests or one machine set.
OPTIONAL = {
    "PLATEN_CHROMIUM_DIR",
    "PLATEN_FONTS_DIR",
    "PLATEN_VALIDATORS_DIR",
    "PLATEN_PAGES_DIR",
    "PLATEN_GUIDES_DIR",
    "PLATEN_CONSOLE_DIR",
    "PLATEN_CRASH_POINTS",
    "PLATEN_SMTP_URL",
}


def required(function: str) -> Iterator[str]:
    variables = {setting(name).variable for name in NEEDS[function].settings}
    yield from sorted(variables - OPTIONAL)


def test_complete_template_misses_nothing(translated: dict[str, Any]) -> None:
    assert missing_needs(translated) == []


@pytest.mark.parametrize("function", NEEDS)
def test_every_removed_variable_is_reported(translated: dict[str, Any], function: str) -> None:
    given = translated["Resources"][function]["Properties"]["Environment"]["Variables"]

    for variable in required(function):
        value = given.pop(variable)
        assert missing_needs(translated) == [f"{function}: {variable} is not in its environment"]
        given[variable] = value


@pytest.mark.parametrize("function", [name for name, needs in NEEDS.items() if needs.layers])
def test_every_removed_layer_is_reported(translated: dict[str, Any], function: str) -> None:
    layers = translated["Resources"][function]["Properties"]["Layers"]

    assert len(layers) == len(NEEDS[function].layers)
    for number, layer in enumerate(list(layers)):
        del layers[number]
        (problems,) = missing_needs(translated)
        assert problems == f"{function}: it has no {layer['Ref'][:-10]}"
        layers.insert(number, layer)


@pytest.mark.parametrize("function", NEEDS)
def test_every_removed_action_is_reported(translated: dict[str, Any], function: str) -> None:
    role = translated["Resources"][role_name(translated, function)]["Properties"]

    for policy in role["Policies"]:
        for statement in policy["PolicyDocument"]["Statement"]:
            actions = statement["Action"]
            for action in actions:
                statement["Action"] = [other for other in actions if other != action]
                problems = missing_needs(translated)
                assert problems, (function, action)
                assert all(
                    f"{function}: its role may not {action} on " in line for line in problems
                )
            statement["Action"] = actions


def test_missing_action_is_reported_with_its_resource(translated: dict[str, Any]) -> None:
    (policy,) = translated["Resources"]["RenderRole"]["Properties"]["Policies"]
    statements = policy["PolicyDocument"]["Statement"]
    policy["PolicyDocument"]["Statement"] = [s for s in statements if s["Sid"] != "Files"]

    assert missing_needs(translated) == [
        f"RenderFunction: its role may not {action} on FilesBucket/{folder}"
        for action in ("s3:DeleteObject", "s3:PutObject")
        for folder in ("tmp/validate/*", "tmp/ws/*/engine/*", "ws/*")
    ]


def test_a_queue_that_feeds_a_function_must_be_readable(translated: dict[str, Any]) -> None:
    mapping = translated["Resources"]["RelayFunctionDomainEvents"]["Properties"]
    mapping["EventSourceArn"] = {"Fn::GetAtt": ["RendersQueue", "Arn"]}

    assert "RelayFunction: its role may not sqs:ReceiveMessage on RendersQueue" in missing_needs(
        translated
    )


def test_undescribed_function_is_named(translated: dict[str, Any]) -> None:
    translated["Resources"]["NewFunction"] = translated["Resources"]["TickFunction"]

    assert missing_needs(translated) == [
        "NewFunction: infra/package/needs.py does not say what it needs"
    ]


def test_an_incomplete_template_is_not_deployed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resources, functions = infra_template.SOURCES
    broken = tmp_path / "functions.yaml"
    text = functions.read_text(encoding="utf-8")
    broken.write_text(text.replace("          PLATEN_BUCKET: !Ref FilesBucket\n", ""))
    monkeypatch.setattr(infra_template, "SOURCES", (resources, broken))
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    infra_template.load_template.cache_clear()

    with mock_aws():
        folder = tmp_path / "build"
        ran = CliRunner().invoke(main, ["up", "--stage", "one", "--folder", str(folder)])
    infra_template.load_template.cache_clear()

    assert ran.exit_code == 1
    assert "RelayFunction: PLATEN_BUCKET is not in its environment\n" in ran.stderr
    assert ran.stderr.endswith("nothing was uploaded\n")
    assert sorted(path.name for path in folder.iterdir()) == ["cloudformation.json", "sam.json"]
