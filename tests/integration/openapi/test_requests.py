"""Requests drawn from the published document, right and wrong: the answers are as it says.

Schemathesis draws three for each operation; `schemathesis.toml` says what it checks.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from infra.local.running_stack import RunningStack
from tests.builders.waiting import PATIENCE_S

pytestmark = pytest.mark.integration

CONFIG: Final = Path(__file__).with_name("schemathesis.toml")
# Of the operations that `schemathesis.toml` leaves out, with the reasons.
LEFT_OUT: Final = 2


def requests_report(stack: RunningStack, folder: Path) -> Any:
    """Send the requests with the test key, and return what Schemathesis reports of them."""
    description, target = folder / "openapi.json", folder / "report.json"
    answer = httpx.get(f"{stack.base_url}/openapi.json", timeout=PATIENCE_S)
    description.write_bytes(answer.raise_for_status().content)
    done = subprocess.run(
        [
            *(Path(sys.executable).with_name("schemathesis"), "--no-color"),
            *("--config-file", CONFIG, "run", description),
            *("--url", stack.base_url.removesuffix("/v1")),
            *("--header", f"Authorization: Bearer {stack.test_key}"),
            *("--request-timeout", str(PATIENCE_S)),
            *("--report", "json", "--report-json-path", target),
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(target.read_text())


def test_answers_are_as_described(stack: RunningStack, tmp_path: Path) -> None:
    report = requests_report(stack, tmp_path)

    operations = report["operations"]
    assert report["complete"]
    assert operations["tested"] == operations["selected"] == operations["total"] - LEFT_OUT
    assert report["test_cases"]["generated"] > 2 * operations["tested"]
    # Of the right ones many are done, not only refused for what no schema says.
    accepted = sum(each["fuzzing"]["accepted"] for each in report["valid_rates"].values())
    assert accepted > operations["tested"] // 2
