"""Makes the demo workspace with its two keys; a process of its own, so that the stack stays plain.

Run with the environment of the API function; prints `{workspace, test_key, live_key}` as JSON.
"""

import json
import subprocess
import sys
from collections.abc import Mapping

from infra.template import ROOT


class SeedError(Exception):
    """The demo workspace could not be made; the message is what its process wrote."""


def seed_workspace(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the demo workspace and its keys, made under the given environment."""
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
    made: dict[str, str] = json.loads(ran.stdout.splitlines()[-1])
    return made


def create_workspace() -> dict[str, str]:
    """Make the workspace and both keys with what this process's environment names."""
    # The product's own use cases; the stack itself never loads them.
    from chalicelib.bootstrap.operator import operator_services as build  # noqa: PLC0415

    operator = build()
    workspace = operator.create_workspace("demo", plan="scale", regions=[operator.region])
    keys = operator.manage_keys
    return {
        "workspace": workspace.id,
        "test_key": keys.create(workspace.id, mode="test", name="demo").text,
        "live_key": keys.create(workspace.id, mode="live", name="demo").text,
    }


if __name__ == "__main__":
    print(json.dumps(create_workspace()))  # noqa: T201 -- the answer of this program
