"""Upload of the package, and creation or update of the stack."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

import click

from infra.deploy.stack import CloudFormationStack, DeployError
from infra.package.sam import compact_json
from infra.setup.steps import INSTALL_DIR, ROOT, UV, SetupError, SetupStep

# Placeholder for a URL until API Gateway has assigned the URL of the API.
UNKNOWN_HOST: Final = "https://unknown.invalid"
# Option value that clears a parameter; an option that is left out keeps it.
CLEAR_VALUE: Final = "none"
_AWSCLI_DIR: Final = INSTALL_DIR / "awscli"
_AWS_PROGRAM: Final = _AWSCLI_DIR / "bin" / "aws"

type RunAws = Callable[..., None]


def run_aws(*arguments: str) -> None:
    """Run the AWS CLI; raises DeployError with its output when it fails."""
    _install_awscli()
    environment = {**os.environ, "AWS_PAGER": ""}
    command = [str(_AWS_PROGRAM), *arguments]
    ran = subprocess.run(command, env=environment, capture_output=True, check=False)
    if ran.returncode != 0:
        # Uploads overwrite their progress line with `\r`; only its last state is shown.
        lines = (ran.stdout + ran.stderr).decode(errors="replace").split("\n")
        output = [line.rpartition("\r")[2] for line in lines]
        raise DeployError(
            "\n".join([f"aws {' '.join(arguments[:2])} failed:", *filter(None, output)])
        )


def _install_awscli() -> None:
    python = str(_AWSCLI_DIR / "bin" / "python")
    lock = ROOT / "infra" / "deploy" / "awscli-requirements.txt"
    step = SetupStep(
        "awscli",
        "AWS command line",
        (
            [
                str(UV),
                "venv",
                "--quiet",
                "--allow-existing",
                "-p",
                sys.executable,
                str(_AWSCLI_DIR),
            ],
            [str(UV), "pip", "sync", "--quiet", "-p", python, "--require-hashes", str(lock)],
        ),
        inputs=(lock,),
        results=(_AWS_PROGRAM,),
    )
    if step.is_done():
        return
    try:
        step.run()
    except SetupError as error:
        raise DeployError(str(error)) from error


def update(
    stack: CloudFormationStack,
    bucket: str,
    folder: Path,
    requested: Mapping[str, str],
    run: RunAws = run_aws,
) -> str:
    """Deploy the package in `folder` and return the URL of the API; raises DeployError.

    Hosts that are neither requested nor known from an earlier deployment become the URLs that AWS
    assigns: that of the gateway, which egress refuses in any case, and for files and signed links
    that of the API function. They are not known before the stack exists, so the first deployment is
    followed by a second, short one.
    """
    packaged = folder / "packaged.json"
    click.echo(f"uploading what has changed to {bucket} …")
    run(
        *("cloudformation", "package", "--template-file", str(folder / "sam.json")),
        *("--s3-bucket", bucket, "--use-json", "--output-template-file", str(packaged)),
    )
    template = json.loads(packaged.read_text(encoding="utf-8"))
    packaged.write_text(compact_json(template), encoding="utf-8")
    present = stack.parameters()
    parameters = deployment_parameters(requested, present)
    if stack.is_empty():
        # A new stack does not keep the parameters of the deleted one.
        parameters = {**present, **parameters}
        click.echo(f"deleting what the failed deployment left of {stack.name} …")
        stack.delete()
    deploy = partial(_deploy, run, stack, packaged, bucket)
    deploy(parameters)
    known = _with_assigned_urls(parameters, present, stack.outputs())
    if known != parameters:
        deploy(known)
    stack.publish_api()
    return known["ApiHost"]


def deployment_parameters(
    requested: Mapping[str, str], present: Mapping[str, str]
) -> dict[str, str]:
    """Return the parameters of a deployment.

    Both hosts are returned, as requested or else as deployed, and the gateway's URL as deployed. Of
    the others only requested ones are: CloudFormation keeps the rest.
    """
    api = requested.get("ApiHost") or present.get("ApiHost") or UNKNOWN_HOST
    files = requested.get("FilesHost") or present.get("FilesHost") or UNKNOWN_HOST
    others = {
        name: "" if text == CLEAR_VALUE else text
        for name, text in requested.items()
        if text and name not in {"ApiHost", "FilesHost"}
    }
    gateway_url = present.get("GatewayUrl") or UNKNOWN_HOST
    return {"ApiHost": api, "FilesHost": files, "GatewayUrl": gateway_url, **others}


def _with_assigned_urls(
    parameters: Mapping[str, str], present: Mapping[str, str], outputs: Mapping[str, str]
) -> dict[str, str]:
    """Return the parameters with the URLs that AWS has assigned."""
    gateway_url, files_url = (outputs[name].rstrip("/") for name in ("EndpointURL", "FilesURL"))
    api, files = parameters["ApiHost"], parameters["FilesHost"]
    # Earlier releases served files at the API's host, which hands no URL over as it was sent.
    is_shared = files == present.get("ApiHost") == present.get("FilesHost")
    return {
        **parameters,
        "ApiHost": gateway_url if api == UNKNOWN_HOST else api,
        "FilesHost": files_url if files == UNKNOWN_HOST or is_shared else files,
        "GatewayUrl": gateway_url,
    }


def _deploy(
    run: RunAws,
    stack: CloudFormationStack,
    template: Path,
    bucket: str,
    parameters: Mapping[str, str],
) -> None:
    click.echo(f"deploying {stack.name} …")
    overrides = [f"{name}={value}" for name, value in parameters.items()]
    try:
        run(
            *("cloudformation", "deploy", "--template-file", str(template)),
            *("--stack-name", stack.name, "--s3-bucket", bucket),
            *("--capabilities", "CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"),
            *("--no-fail-on-empty-changeset", "--parameter-overrides", *overrides),
        )
    except DeployError as error:
        reasons = stack.failures() if stack.exists() else []
        raise DeployError("\n".join([str(error), *reasons])) from error
