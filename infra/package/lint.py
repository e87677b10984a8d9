"""Lints a template with cfn-lint."""

import subprocess
import sys
from pathlib import Path

from infra.package.sam import REGION


def findings(template: Path) -> str:
    """Return what cfn-lint says about a template; empty when it is clean."""
    command = [
        str(Path(sys.executable).with_name("cfn-lint")),
        "--regions",
        REGION,
        "--template",
        str(template),
    ]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    return (ran.stdout + ran.stderr).strip()
