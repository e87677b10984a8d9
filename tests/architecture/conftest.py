"""The template that is deployed, written once for all tests of a process."""

from typing import Any

import pytest

from infra.package.sam import write_template
from infra.package.translate import translate


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Give the SAM template; no test changes it."""
    return write_template(tmp_path_factory.mktemp("package") / "sam.json")


@pytest.fixture(scope="session")
def translated(template: dict[str, Any]) -> dict[str, Any]:
    """Give the template as CloudFormation has it; no test changes it."""
    return translate(template)
