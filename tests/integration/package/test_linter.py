"""The linter of `make package`, which refuses each finding in either form of the template."""

import json
from pathlib import Path

import pytest

from infra.package.sam import lint_findings

pytestmark = pytest.mark.integration


def test_the_linter_finds_a_mistake(tmp_path: Path) -> None:
    queue = {"Type": "AWS::SQS::Queue", "Properties": {"VisibilityTimeout": "soon"}}
    template = tmp_path / "template.json"
    template.write_text(json.dumps({"Resources": {"RendersQueue": queue}}))

    assert "'soon' is not of type 'integer'" in lint_findings(template)
