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
from chalicelib.adapters.aws.session import AwsClients
from chalicelib.bootstrap import operator as bootstrap
from chalicelib.core.clock import SystemClock
from chalicelib.features.trace.trace_render import ReadLogLines, TraceRender
from chalicelib.settings import RedriveSettings, TraceSettings
from infra.deploy.stack import CloudFormationStack
from infra.local.log_file import lines_of_request
from infra.local.paths import StackFolder
from infra.operator.output import CommandError

_RUN_FOLDER: Final = Path(__file__).resolve().parent.parent.parent / ".platen"
# What the tool works with: variable and logical id.
_RESOURCE_VARIABLES: Final = {
    "PLATEN_MAIN_TABLE": "MainTable",
    "PLATEN_TRANSIENT_TABLE": "TransientTable",
    "PLATEN_BUCKET": "FilesBucket",
    "PLATEN_RENDERS_QUEUE_URL": "RendersQueue",
    "PLATEN_RENDERS_DEAD_LETTERS_URL": "RendersDeadLetters",
    "PLATEN_EVENTS_QUEUE_URL": "EventsQueue",
    "PLATEN_EVENTS_DEAD_LETTERS_URL": "EventsDeadLetters",
    "PLATEN_UPKEEP_QUEUE_URL": "MaintenanceQueue",
    "PLATEN_UPKEEP_DEAD_LETTERS_URL": "MaintenanceDeadLetters",
}


def operator() -> bootstrap.OperatorServices:
    """Return the use cases of the service that is meant; raises Refused where there is none."""
    _find_service()
    return bootstrap.operator_services()


def render_tracer() -> TraceRender:
    """Return what traces a render of the service that is meant; raises Refused as above."""
    _find_service()
    settings, clients = TraceSettings.from_env(), AwsClients()
    if settings.functions_log:
        lines: ReadLogLines = partial(lines_of_request, Path(settings.functions_log))
    else:
        lines = FunctionLogs(clients, settings.stack)
    return bootstrap.trace_render(settings, clients, lines, SystemClock())


def dead_letter_service() -> bootstrap.DeadLetterService:
    """Return what works on dead letters of the service that is meant; raises Refused as above."""
    _find_service()
    return bootstrap.DeadLetterService(RedriveSettings.from_env(), AwsClients(), SystemClock())


def _find_service() -> None:
    if stage := click.get_current_context().find_root().params.get("stage"):
        os.environ.update(_stage_environment(stage))
    elif not os.environ.get("PLATEN_MAIN_TABLE"):
        os.environ.update(_local_environment())


def _stage_environment(stage: str) -> dict[str, str]:
    session = Session()
    stack = CloudFormationStack.of_stage(stage, session)
    if not stack.exists():
        raise CommandError("no_service", f"there is no stack {stack.name} in {session.region_name}")
    made = {logical: physical for logical, _, physical in stack.resources()}
    return {
        **_resource_environment(made),
        "PLATEN_REGION": stack.parameters()["RegionName"],
        "PLATEN_STACK": stack.name,
    }


def _local_environment() -> dict[str, str]:
    try:
        run = json.loads((_RUN_FOLDER / "run.json").read_text(encoding="utf-8"))
        stack = json.loads((_RUN_FOLDER / "endpoints.json").read_text(encoding="utf-8"))
        os.kill(run["pid"], 0)
        return _stack_environment(stack)
    except (OSError, ValueError, KeyError) as absent:
        message = (
            "no stack runs on this machine (start one with `make up`), and neither --stage nor "
            "PLATEN_MAIN_TABLE names another one"
        )
        raise CommandError("no_service", message) from absent


def _stack_environment(stack: dict[str, Any]) -> dict[str, str]:
    return {
        **stack["endpoints"],
        "AWS_REGION": stack["region"],
        "AWS_DEFAULT_REGION": stack["region"],
        # The emulators keep accounts apart by the key that resources were made with.
        "AWS_ACCESS_KEY_ID": os.environ.get("AWS_ACCESS_KEY_ID", "test"),
        "AWS_SECRET_ACCESS_KEY": os.environ.get("AWS_SECRET_ACCESS_KEY", "test"),
        **_resource_environment(
            {logical: made["Ref"] for logical, made in stack["resources"].items()}
        ),
        "PLATEN_STACK": stack["stack"],
        "PLATEN_FUNCTIONS_LOG": str(StackFolder(_RUN_FOLDER).functions_log),
    }


def _resource_environment(resources: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of resources; who needs one that is not there names it."""
    return {
        variable: resources[logical]
        for variable, logical in _RESOURCE_VARIABLES.items()
        if logical in resources
    }
