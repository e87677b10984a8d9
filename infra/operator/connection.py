"""Which service the operator means: a deployed stage, the environment's, or this machine's."""

import json
import os
from pathlib import Path
from typing import Any, Final

import click
from boto3.session import Session

from chalicelib.bootstrap import operator as bootstrap
from infra.deploy.stack import Stack
from infra.operator.output import Refused

_RUN_FOLDER: Final = Path(__file__).resolve().parent.parent.parent / ".platen"
# What the tool works with: variable and logical id.
_RESOURCES: Final = {"PLATEN_MAIN_TABLE": "MainTable"}


def operator() -> bootstrap.Operator:
    """Return the use cases of the service that is meant; raises Refused where there is none."""
    if stage := click.get_current_context().find_root().params.get("stage"):
        os.environ.update(_deployed(stage))
    elif not os.environ.get("PLATEN_MAIN_TABLE"):
        os.environ.update(_running_here())
    return bootstrap.operator()


def _deployed(stage: str) -> dict[str, str]:
    session = Session()
    stack = Stack.of_stage(stage, session)
    if not stack.exists():
        raise Refused("no_service", f"there is no stack {stack.name} in {session.region_name}")
    made = {logical: physical for logical, _, physical in stack.resources()}
    named = {variable: made[logical] for variable, logical in _RESOURCES.items()}
    return {**named, "PLATEN_REGION": stack.parameters()["RegionName"]}


def _running_here() -> dict[str, str]:
    try:
        run = json.loads((_RUN_FOLDER / "run.json").read_text(encoding="utf-8"))
        stack = json.loads((_RUN_FOLDER / "endpoints.json").read_text(encoding="utf-8"))
        os.kill(run["pid"], 0)
        return _environment(stack)
    except (OSError, ValueError, KeyError) as absent:
        message = (
            "no stack runs on this machine (start one with `make up`), and neither --stage nor "
            "PLATEN_MAIN_TABLE names another one"
        )
        raise Refused("no_service", message) from absent


def _environment(stack: dict[str, Any]) -> dict[str, str]:
    return {
        **stack["endpoints"],
        "AWS_REGION": stack["region"],
        "AWS_DEFAULT_REGION": stack["region"],
        # The emulators keep accounts apart by the key that resources were made with.
        "AWS_ACCESS_KEY_ID": os.environ.get("AWS_ACCESS_KEY_ID", "test"),
        "AWS_SECRET_ACCESS_KEY": os.environ.get("AWS_SECRET_ACCESS_KEY", "test"),
        **{name: stack["resources"][logical]["Ref"] for name, logical in _RESOURCES.items()},
    }
