"""The AWS command line, in a virtual environment of its own, installed when it is first needed."""

import os
import subprocess
import sys
from typing import Final

from infra.deploy.errors import DeployError
from infra.setup.step import INSTALLED, ROOT, SetupError, Step
from infra.setup.steps import UV

_FOLDER: Final = INSTALLED / "awscli"
_AWS: Final = _FOLDER / "bin" / "aws"


def aws(*arguments: str) -> None:
    """Run `aws`; raises DeployError with what it wrote where it fails."""
    _install()
    environment = {**os.environ, "AWS_PAGER": ""}
    command = [str(_AWS), *arguments]
    ran = subprocess.run(command, env=environment, capture_output=True, check=False)
    if ran.returncode != 0:
        # Uploads tell their progress in one line that is written again and again.
        lines = (ran.stdout + ran.stderr).decode(errors="replace").split("\n")
        said = [line.rpartition("\r")[2] for line in lines]
        raise DeployError(
            "\n".join([f"aws {' '.join(arguments[:2])} failed:", *filter(None, said)])
        )


def _install() -> None:
    python = str(_FOLDER / "bin" / "python")
    lock = ROOT / "infra" / "deploy" / "awscli-requirements.txt"
    step = Step(
        "awscli",
        "AWS command line",
        (
            [str(UV), "venv", "--quiet", "--allow-existing", "-p", sys.executable, str(_FOLDER)],
            [str(UV), "pip", "sync", "--quiet", "-p", python, "--require-hashes", str(lock)],
        ),
        inputs=(lock,),
        results=(_AWS,),
    )
    if step.is_done():
        return
    try:
        step.run()
    except SetupError as error:
        raise DeployError(str(error)) from error
