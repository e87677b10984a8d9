"""Creation of the demo workspace with its two keys, in its own process.

The stack itself does not import the product. The process runs with the environment of the API
function and prints `{workspace, test_key, live_key}` as JSON.
"""

import json
import subprocess
import sys
from collections.abc import Mapping

from infra.template import ROOT


class SeedError(Exception):
    """The demo workspace could not be created; the message is the output of its process."""


def seed_workspace(environment: Mapping[str, str]) -> dict[str, str]:
    """Create the demo workspace in a process with this environment; return it and its keys."""
    ran = subprocess.run(
        [sys.executable, "-m", "infra.local.seed"],
        cwd=ROOT,
        env=dict(environment),
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode != 0:
        raise SeedError(ran.stderr)
    demo_workspace: dict[str, str] = json.loads(ran.stdout.splitlines()[-1])
    return demo_workspace


def create_workspace() -> dict[str, str]:
    """Create the workspace and both keys at the endpoints of this process's environment."""
    # Imported here: only the seed process loads the product.
    from chalicelib.bootstrap.operator import operator_services as build  # noqa: PLC0415
    from chalicelib.features.workspaces.keys.model import SCOPES  # noqa: PLC0415

    operator = build()
    workspace = operator.create_workspace("demo", plan="scale", regions=[operator.region])
    keys = operator.manage_keys
    return {
        "workspace": workspace.id,
        "test_key": keys.create(workspace.id, mode="test", name="demo", scopes=SCOPES).text,
        "live_key": keys.create(workspace.id, mode="live", name="demo", scopes=SCOPES).text,
    }


if __name__ == "__main__":
    print(json.dumps(create_workspace()))  # noqa: T201 -- the output of this program
