"""Connection to a deployed stage, the stack of the environment, or the local stack."""

import json
import os
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from chalicelib.core.clock import SystemClock
from chalicelib.core.ids import WorkspaceId
from infra.operator.output import CommandError

if TYPE_CHECKING:
    from chalicelib.adapters.aws.secrets import Secret
    from chalicelib.adapters.aws.signing_keys import SigningKeys
    from chalicelib.bootstrap.operator import DeadLetterService, OperatorServices
    from chalicelib.bootstrap.operator_contents import ContentsService
    from chalicelib.bootstrap.operator_doctor import DoctorService
    from chalicelib.bootstrap.operator_webhooks import ForwardService, WebhookLogService
    from chalicelib.features.trace.trace_render import ReadLogLines, TraceRender

RUN_FOLDER: Final = Path(__file__).resolve().parent.parent.parent / ".platen"


def operator() -> "OperatorServices":
    """Return the use cases of the selected service; raises CommandError if there is none."""
    from chalicelib.bootstrap.operator import operator_services

    _find_service()
    return operator_services()


def render_tracer() -> "TraceRender":
    """Return the use case that traces a render; raises CommandError as `operator` does."""
    from chalicelib.adapters.aws.logs import FunctionLogs
    from chalicelib.adapters.aws.session import AwsClients
    from chalicelib.bootstrap.operator import trace_render
    from chalicelib.settings import TraceSettings
    from infra.local.log_file import lines_of_request

    _find_service()
    settings, clients = TraceSettings.from_env(), AwsClients()
    if settings.functions_log:
        log_lines: ReadLogLines = partial(lines_of_request, Path(settings.functions_log))
    else:
        log_lines = FunctionLogs(clients, settings.stack)
    return trace_render(settings, clients, log_lines, SystemClock())


def dead_letter_service() -> "DeadLetterService":
    """Return the dead letters of the service; raises CommandError as `operator` does."""
    from chalicelib.adapters.aws.session import AwsClients
    from chalicelib.bootstrap.operator import DeadLetterService, redrive_settings

    _find_service()
    return DeadLetterService(redrive_settings(), AwsClients(), SystemClock())


def webhook_log_service() -> "WebhookLogService":
    """Return the log of webhook deliveries; raises CommandError as `operator` does."""
    from chalicelib.adapters.aws.session import AwsClients
    from chalicelib.bootstrap.operator_webhooks import WebhookLogService
    from chalicelib.settings import WebhookLogSettings

    _find_service()
    return WebhookLogService(WebhookLogSettings.from_env(), AwsClients(), SystemClock())


def forward_service() -> tuple["ForwardService", WorkspaceId | None]:
    """Return the forwarding of events, and the demo workspace if it is this machine's stack.

    Raises CommandError as `operator` does.
    """
    from chalicelib.adapters.aws.session import AwsClients
    from chalicelib.bootstrap.operator_webhooks import ForwardService
    from chalicelib.settings import ForwardSettings

    demo_workspace = _find_service()
    service = ForwardService(ForwardSettings.from_env(), AwsClients(), SystemClock())
    return service, demo_workspace


def contents_service() -> "ContentsService":
    """Return the contents of workspaces; raises CommandError as `operator` does."""
    from chalicelib.adapters.aws.session import AwsClients
    from chalicelib.bootstrap.operator_contents import ContentsService
    from chalicelib.settings import ContentsSettings

    _find_service()
    return ContentsService(ContentsSettings.from_env(), AwsClients(), SystemClock())


def mail_secret() -> "Secret":
    """Return the secret with the URL of the mail server; raises CommandError as `operator` does."""
    from chalicelib.adapters.aws.session import AwsClients
    from chalicelib.bootstrap import operator as bootstrap
    from chalicelib.settings import MailSettings

    _find_service()
    return bootstrap.mail_secret(MailSettings.from_env(), AwsClients(), SystemClock())


def signing_keys() -> "SigningKeys":
    """Return the versions of the signing secret; raises CommandError as `operator` does."""
    from chalicelib.adapters.aws.session import AwsClients
    from chalicelib.bootstrap import operator as bootstrap
    from chalicelib.settings import SigningSettings

    _find_service()
    return bootstrap.signing_keys(SigningSettings.from_env(), AwsClients(), SystemClock())


def doctor_service() -> "DoctorService":
    """Return the service to check; raises CommandError as `operator` does."""
    from chalicelib.adapters.aws.session import AwsClients
    from chalicelib.bootstrap.operator_doctor import DoctorService
    from chalicelib.settings import DoctorSettings

    _find_service()
    return DoctorService(DoctorSettings.from_env(), AwsClients(), SystemClock())


def _find_service() -> WorkspaceId | None:
    """Set the variables of the selected service; of `make run`'s, return the demo workspace."""
    if stage := _root_option("stage"):
        os.environ.update(_stage_environment(stage))
    elif _root_option("data") or not os.environ.get("PLATEN_MAIN_TABLE"):
        environment, demo_workspace = _local_service()
        os.environ.update(environment)
        return demo_workspace
    return None


def _stage_environment(stage: str) -> dict[str, str]:
    from boto3.session import Session

    from infra.deploy.stack import CloudFormationStack

    session = Session()
    stack = CloudFormationStack.of_stage(stage, session)
    if not stack.exists():
        raise CommandError("no_service", f"there is no stack {stack.name} in {session.region_name}")
    resources = {logical: physical for logical, _, physical in stack.resources()}
    parameters = stack.parameters()
    return {
        **_resource_environment(resources),
        "PLATEN_REGION": parameters["RegionName"],
        "PLATEN_FILES_HOST": parameters["FilesHost"],
        "PLATEN_STACK": stack.name,
    }


def run_folder() -> Path:
    """Return the folder of this machine's service: the data folder, or that of `make run`."""
    data = _root_option("data")
    return Path(data) if data else RUN_FOLDER


def default_plan() -> str:
    """Return the plan of new workspaces: a server of one's own sells nothing."""
    is_elsewhere = _root_option("stage") or os.environ.get("PLATEN_MAIN_TABLE")
    if is_elsewhere and not _root_option("data"):
        return "free"
    _, stack = _run_files()
    return str(stack["default_plan"])


def _root_option(name: str) -> str | None:
    value = click.get_current_context().find_root().params.get(name)
    return None if value is None else str(value)


def _local_service() -> tuple[dict[str, str], WorkspaceId | None]:
    run, stack = _run_files()
    environment = _stack_environment(stack) | {"PLATEN_FILES_HOST": run["files_host"]}
    demo_workspace = run.get("workspace")
    return environment, WorkspaceId(demo_workspace) if demo_workspace else None


def _run_files() -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the run file and the endpoints of this machine's service; raises CommandError."""
    from infra.local.paths import StackFolder

    folder = run_folder()
    try:
        run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        stack = json.loads((folder / "endpoints.json").read_text(encoding="utf-8"))
        os.kill(run["pid"], 0)
        if (folder / "lock").exists() and not StackFolder(folder).is_held():
            # A killed stack has left its run file, and its process id is another's by now.
            raise FileNotFoundError(folder)
    except PermissionError as refused:
        message = f"{folder} belongs to another user: run `platen` as its owner"
        raise CommandError("no_service", message) from refused
    except (OSError, ValueError, KeyError) as absent:
        if _root_option("data"):
            message = f"no server runs on {folder} (start one with `platen serve --data {folder}`)"
        else:
            message = (
                "no stack runs on this machine (start one with `make up`), and neither --data, "
                "--stage nor PLATEN_MAIN_TABLE names another one"
            )
        raise CommandError("no_service", message) from absent
    return run, stack


def _stack_environment(stack: dict[str, Any]) -> dict[str, str]:
    from infra.local.paths import StackFolder

    return {
        **stack["endpoints"],
        "AWS_REGION": stack["region"],
        "AWS_DEFAULT_REGION": stack["region"],
        **_resource_environment(
            {logical: attributes["Ref"] for logical, attributes in stack["resources"].items()}
        ),
        "PLATEN_STACK": stack["stack"],
        "PLATEN_FUNCTIONS_LOG": str(StackFolder(run_folder()).functions_log),
    }


def _resource_environment(resources: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of existing resources; a missing one fails when it is read."""
    return {
        variable: resources[logical]
        for variable, logical in resource_variables().items()
        if logical in resources
    }


@cache
def resource_variables() -> Mapping[str, str]:
    """Return the setting variables of the tool, with the ids of the resources that fill them."""
    from chalicelib.bootstrap.work import (
        DEAD_LETTER_QUEUES,
        dead_letters_resource,
        queue_resource,
    )
    from chalicelib.settings.table import setting

    queues = {
        setting(f"{name}_queue_url").variable: queue_resource(name) for name in DEAD_LETTER_QUEUES
    }
    dead_letters = {
        setting(f"{name}_dead_letters_url").variable: dead_letters_resource(name)
        for name in DEAD_LETTER_QUEUES
    }
    return {
        "PLATEN_MAIN_TABLE": "MainTable",
        "PLATEN_TRANSIENT_TABLE": "TransientTable",
        "PLATEN_BUCKET": "FilesBucket",
        "PLATEN_SIGNING_SECRET": "SigningSecret",
        "PLATEN_SMTP_SECRET": "MailSecret",
        "PLATEN_DATA_KEY": "DataKey",
        **queues,
        **dead_letters,
    }
