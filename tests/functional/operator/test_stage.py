"""`platen --stage`: the tool finds a deployed stack by its name."""

import json

import boto3
import pytest

from infra.template import load_template
from tests.builders.in_process_aws import REGION
from tests.builders.operator import OperatorTool


@pytest.fixture
def stage(tool: OperatorTool, monkeypatch: pytest.MonkeyPatch) -> str:
    """Give a stage whose stack holds the main table; moto's CloudFormation makes it in moto."""
    tool.forget_service()
    monkeypatch.delenv("AWS_ENDPOINT_URL_DYNAMODB")
    monkeypatch.setenv("PLATEN_REGION", "")  # Set first, so that the test removes it.
    template = load_template()
    declared = {
        "Parameters": {name: template["Parameters"][name] for name in ("RegionName", "FilesHost")},
        "Resources": {"MainTable": template["Resources"]["MainTable"]},
    }
    boto3.client("cloudformation", region_name=REGION).create_stack(
        StackName="platen-operated",
        TemplateBody=json.dumps(declared),
        Parameters=[
            {"ParameterKey": "RegionName", "ParameterValue": "us"},
            {"ParameterKey": "FilesHost", "ParameterValue": "https://files.test"},
        ],
    )
    return "operated"


def test_a_deployed_stage_is_found_by_its_name(tool: OperatorTool, stage: str) -> None:
    made = tool.json("--stage", stage, "workspace", "create", "Acme")
    key = tool.json("--stage", stage, "key", "create", "--workspace", made["id"], "--mode", "live")

    (row,) = tool.json("--stage", stage, "workspace", "list")["data"]
    assert row["id"] == made["id"]
    assert made["regions"] == ["us"]
    assert key["key"].startswith("plt_live_")
    table = boto3.client("dynamodb", region_name=REGION).scan(TableName="platen-operated-main")
    assert table["Count"] > 0


def test_a_missing_stage_is_reported(tool: OperatorTool) -> None:
    tool.forget_service()

    code, reason = tool.refusal("--stage", "absent", "workspace", "list")

    assert code == "no_service"
    assert reason == f"there is no stack platen-absent in {REGION}"
