"""Linters of OpenAPI documents: they find nothing in the published one."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from infra.openapi import TARGET
from infra.setup.steps import COMMANDS_DIR, INSTALL_DIR

pytestmark = pytest.mark.integration

# Routes that answer nothing but a redirect to a file.
REDIRECTS = {
    "#/paths/~1files~1{file_id}~1{filename}/get/responses",
    "#/paths/~1v1~1renders~1{id}~1files~1{file_id}/get/responses",
}


def lint(folder: Path, command: str, config: str, *options: str) -> Any:
    """Return the findings of a linter about the published document."""
    tool = (INSTALL_DIR / "openapi_lint" / "node_modules" / ".bin" / command).resolve()
    (folder / "config.yaml").write_text(config)
    done = subprocess.run(
        [COMMANDS_DIR / "node", tool, "lint", TARGET, *options],
        cwd=folder,
        env={
            "PATH": f"{COMMANDS_DIR}:{os.environ['PATH']}",
            "HOME": str(folder),
            "REDOCLY_TELEMETRY": "off",
            "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    # Spectral has a line of text behind its JSON.
    found, _ = json.JSONDecoder().raw_decode(done.stdout or done.stderr)
    return found


def test_spectral_finds_nothing(tmp_path: Path) -> None:
    options = ("--ruleset", "config.yaml", "--format", "json")

    assert lint(tmp_path, "spectral", 'extends: ["spectral:oas"]', *options) == []


def test_redocly_finds_nothing_but_redirects(tmp_path: Path) -> None:
    options = ("--config", "config.yaml", "--format", "json")

    found = lint(tmp_path, "redocly", "extends: [recommended]", *options)

    places = [(each["ruleId"], each["location"][0]["pointer"]) for each in found["problems"]]
    assert sorted(places) == sorted(("operation-2xx-response", place) for place in REDIRECTS)
