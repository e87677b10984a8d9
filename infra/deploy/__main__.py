"""`python -m infra.deploy up|down --stage NAME`: commands of `make deploy` and `make destroy`."""

import re
from pathlib import Path
from typing import Final

import click
from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.core.trusted_proxies import TrustedProxies
from infra.deploy.account import AwsAccount
from infra.deploy.remove import remove
from infra.deploy.stack import CloudFormationStack, DeployError
from infra.deploy.update import CLEAR_VALUE, update
from infra.package.build import build
from infra.package.errors import PackageError

_TEMPLATE_PARAMETERS: Final = {
    "api_host": "ApiHost",
    "files_host": "FilesHost",
    "egress_allow": "EgressAllow",
    "tenancy": "Tenancy",
    "trusted_proxies": "TrustedProxies",
}
_STAGE_PATTERN: Final = re.compile(r"[a-z][a-z0-9-]{0,30}")


def _validate_stage(_context: click.Context, _option: click.Parameter, name: str) -> str:
    if not _STAGE_PATTERN.fullmatch(name):
        message = "name a stage, like STAGE=production: small letters, digits and hyphens"
        raise click.BadParameter(message)
    return name


def _validate_host(_context: click.Context, _option: click.Parameter, text: str) -> str:
    host = text.rstrip("/")
    if host and not re.fullmatch(r"https?://[^\s?#]+", host):
        raise click.BadParameter(f"{text!r} is no address like https://api.example.com")
    if host.endswith("/v1"):
        raise click.BadParameter(f"{text!r} has a /v1: name what stands before it")
    return host


def _validate_egress_allow(_context: click.Context, _option: click.Parameter, text: str) -> str:
    if text not in {"", CLEAR_VALUE}:
        try:
            GuardedEgress(allow=text, own_hosts=frozenset())
        except ValueError as error:
            raise click.BadParameter(str(error)) from error
    return text


def _validate_trusted_proxies(_context: click.Context, _option: click.Parameter, text: str) -> str:
    if text not in {"", CLEAR_VALUE}:
        try:
            TrustedProxies(text)
        except ValueError as error:
            raise click.BadParameter(str(error)) from error
    return text


@click.group()
def main() -> None:
    """Deploy Platen, or take it away."""


@main.command()
@click.option("--stage", default="", callback=_validate_stage)
@click.option("--api-host", default="", callback=_validate_host, help="The API's own domain.")
@click.option(
    "--files-host", default="", callback=_validate_host, help="The files' domain, if another."
)
@click.option(
    "--egress-allow",
    default="",
    envvar="EGRESS_ALLOW",
    callback=_validate_egress_allow,
    help="Own networks that may be reached (CIDR:port, comma-separated); none: no more.",
)
@click.option(
    "--tenancy",
    default="",
    envvar="TENANCY",
    type=click.Choice(["", "isolated", "shared"]),
    metavar="isolated|shared",
    help="Environments for one workspace each, or for all; a change replaces their functions.",
)
@click.option(
    "--trusted-proxies",
    default="",
    envvar="TRUSTED_PROXIES",
    callback=_validate_trusted_proxies,
    help="Proxies whose X-Forwarded-For counts (CIDR ranges, comma-separated); none: no more.",
)
@click.option("--folder", default="build", type=click.Path(path_type=Path))
def up(*, stage: str, folder: Path, **given: str) -> None:
    """Build the package and create the stack, or bring it up to date.

    Options that are not given stay as they were deployed.
    """
    account, stack = _find_stack(stage)
    parameters = {_TEMPLATE_PARAMETERS[name]: text for name, text in given.items()}
    try:
        build(folder.absolute())
        api_url = update(stack, account.ensure_artifacts_bucket(), folder.absolute(), parameters)
    except PackageError as error:
        raise click.ClickException(f"{error}\nnothing was uploaded") from error
    except (DeployError, BotoCoreError, ClientError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{stack.name} serves at {api_url}/v1 (reference: {api_url}/docs)")
    click.echo(f"keys: .venv/bin/platen --stage {stage} key create --help")


@main.command()
@click.option("--stage", default="", callback=_validate_stage)
def down(*, stage: str) -> None:
    """Delete the stack; list its remaining parts and how to remove them."""
    account, stack = _find_stack(stage)
    try:
        retained = remove(stack)
    except (DeployError, BotoCoreError, ClientError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{stack.name} is deleted.")
    _echo_commands(
        "What customers entrusted to it is still there; this removes it for ever:",
        retained.data_commands,
    )
    _echo_commands(
        "What its functions logged is still there; this removes it:", retained.log_commands
    )
    shared = f"aws s3 rb --force s3://{account.artifacts_bucket_name}"
    _echo_commands(
        "The uploaded packages are shared with every other stage; after the last one:", [shared]
    )


def _echo_commands(heading: str, commands: list[str]) -> None:
    if commands:
        click.echo("\n".join([heading, *(f"  {command}" for command in commands)]))


def _find_stack(stage: str) -> tuple[AwsAccount, CloudFormationStack]:
    try:
        account = AwsAccount.from_environment()
    except DeployError as error:
        raise click.ClickException(str(error)) from error
    return account, CloudFormationStack.of_stage(stage, account.session)


if __name__ == "__main__":
    main()
