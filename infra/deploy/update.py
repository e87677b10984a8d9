"""Uploads the package and creates the stack or brings it up to date."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

import click

from infra.deploy.awscli import aws
from infra.deploy.errors import DeployError
from infra.deploy.stack import Stack

# What a host is called until API Gateway has given the API its address.
UNKNOWN: Final = "https://unknown.invalid"
# What an option is given that takes a parameter away; one that is left out keeps it.
NONE: Final = "none"
# How CloudFormation shows a parameter that nobody may read.
_HIDDEN: Final = "****"

type Aws = Callable[..., None]


def update(
    stack: Stack, bucket: str, folder: Path, given: Mapping[str, str], run: Aws = aws
) -> str:
    """Deploy what lies in `folder`; return the API's address. Raises DeployError.

    A host that is neither given nor known from an earlier deployment becomes the address of the API
    itself. Nobody knows that before the stack exists, so its first deployment takes a second,
    short pass.
    """
    packaged = folder / "packaged.json"
    click.echo(f"uploading what has changed to {bucket} …")
    run(
        *("cloudformation", "package", "--template-file", str(folder / "sam.json")),
        *("--s3-bucket", bucket, "--use-json", "--output-template-file", str(packaged)),
    )
    present = stack.parameters()
    parameters = wanted(given, present)
    if stack.is_empty():
        # One that is made anew has none of them.
        parameters = {name: text for name, text in present.items() if text != _HIDDEN} | parameters
        click.echo(f"deleting what the failed deployment left of {stack.name} …")
        stack.delete()
    deploy = partial(_deploy, run, stack, packaged, bucket)
    deploy(parameters)
    if UNKNOWN in parameters.values():
        own = stack.outputs()["EndpointURL"].rstrip("/")
        parameters |= {name: own for name, text in parameters.items() if text == UNKNOWN}
        deploy(parameters)
    stack.publish_api()
    return parameters["ApiHost"]


def wanted(given: Mapping[str, str], present: Mapping[str, str]) -> dict[str, str]:
    """Return both hosts: as given, else as deployed; files follow the API unless told otherwise.

    Of all others only what is given: what is not is left as it was by CloudFormation.
    """
    api = given.get("ApiHost") or present.get("ApiHost") or UNKNOWN
    apart = present.get("FilesHost") not in {None, present.get("ApiHost")}
    files = given.get("FilesHost") or (present["FilesHost"] if apart else api)
    others = {
        name: "" if text == NONE else text
        for name, text in given.items()
        if text and name not in {"ApiHost", "FilesHost"}
    }
    return {"ApiHost": api, "FilesHost": files, **others}


def _deploy(
    run: Aws, stack: Stack, template: Path, bucket: str, parameters: Mapping[str, str]
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
