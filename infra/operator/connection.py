"""Which service the operator means: a deployed stage, the environment's, or this machine's."""

import json
import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

import click
from boto3.session import Session

from chalicelib.adapters.aws.logs import FunctionLogs
from chalicelib.adapters.aws.session import Clients
from chalicelib.bootstrap import operator as bootstrap
from chalicelib.bootstrap import support
from chalicelib.core.clock import SystemClock
from chalicelib.features.trace.trace import Lines, TraceRender
from chalicelib.settings import RedriveSettings, TraceSettings
from infra.deploy.stack import Stack
from infra.local.kept_log import lines_about
from infra.local.paths import Folder
from infra.operator.output import Refused

_RUN_FOLDER: Final = Path(__file__).resolve().parent.parent.parent / ".platen"
# What the tool works with: variable and logical id.
_RESOURCES: Final = {
    "PLATEN_MAIN_TABLE": "MainTable",
    "PLATEN_TRANSIENT_TABLE": "TransientTable",
    "PLATEN_BUCKET": "FilesBucket",
    "PLATEN_RENDERS_QUEUE_URL": "RendersQueue",
    "PLATEN_RENDERS_DEAD_LETTERS_URL": "RendersDeadLetters",
    "PLATEN_EVENTS_QUEUE_URL": "EventsQueue",
    "PLATEN_EVENTS_DEAD_LETTERS_URL": "EventsDeadLetters",
    "PLATEN_UPKEEP_QUEUE_URL": "UpkeepQueue",
    "PLATEN_UPKEEP_DEAD_LETTERS_URL": "UpkeepDeadLetters",
}


def operator() -> bootstrap.Operator:
    """Return the use cases of the service that is meant; raises Refused where there is none."""
    _find_service()
    return bootstrap.operator()


def trace_render() -> TraceRender:
    """Return what traces a render of the service that is meant; raises Refused as above."""
    _find_service()
    settings, clients = TraceSettings.from_env(), Clients()
    if settings.functions_log:
        lines: Lines = partial(lines_about, Path(settings.functions_log))
    else:
        lines = FunctionLogs(clients, settings.stack)
    return support.trace_render(settings, clients, lines, SystemClock())


def dead_letters() -> support.DeadLetterOffice:
    """Return what works on dead letters of the service that is meant; raises Refused as above."""
    _find_service()
    return support.DeadLetterOffice(RedriveSettings.from_env(), Clients(), SystemClock())


def _find_service() -> None:
    if stage := click.get_current_context().find_root().params.get("stage"):
        os.environ.update(_deployed(stage))
    elif not os.environ.get("PLATEN_MAIN_TABLE"):
        os.environ.update(_running_here())


def _deployed(stage: str) -> dict[str, str]:
    session = Session()
    stack = Stack.of_stage(stage, session)
    if not stack.exists():
        raise Refused("no_service", f"there is no stack {stack.name} in {session.region_name}")
    made = {logical: physical for logical, _, physical in stack.resources()}
    return {
        **_named(made),
        "PLATEN_REGION": stack.parameters()["RegionName"],
        "PLATEN_STACK": stack.name,
    }


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
        **_named({logical: made["Ref"] for logical, made in stack["resources"].items()}),
        "PLATEN_STACK": stack["stack"],
        "PLATEN_FUNCTIONS_LOG": str(Folder(_RUN_FOLDER).functions_log),
    }


def _named(made: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of resources; who needs one that is not there names it."""
    return {variable: made[logical] for variable, logical in _RESOURCES.items() if logical in made}
