"""`python -m infra.deploy up|down --stage NAME`: what `make deploy` and `make destroy` run."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import click
from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.adapters.net.egress import Egress
from chalicelib.adapters.net.smtp import SmtpMail
from infra.deploy.account import Account
from infra.deploy.errors import DeployError
from infra.deploy.removal import remove
from infra.deploy.stack import Stack
from infra.deploy.update import NONE, update
from infra.package.build import build
from infra.package.errors import PackageError

_PARAMETERS: Final = {
    "api_host": "ApiHost",
    "files_host": "FilesHost",
    "egress_allow": "EgressAllow",
    "smtp_url": "SmtpUrl",
}
_STAGE: Final = re.compile(r"[a-z][a-z0-9-]{0,30}")


def _stage(_context: click.Context, _option: click.Parameter, name: str) -> str:
    if not _STAGE.fullmatch(name):
        message = "name a stage, like STAGE=production: small letters, digits and hyphens"
        raise click.BadParameter(message)
    return name


def _host(_context: click.Context, _option: click.Parameter, text: str) -> str:
    host = text.rstrip("/")
    if host and not re.fullmatch(r"https?://[^\s?#]+", host):
        raise click.BadParameter(f"{text!r} is no address like https://api.example.com")
    if host.endswith("/v1"):
        raise click.BadParameter(f"{text!r} has a /v1: name what stands before it")
    return host


def _egress_allow(_context: click.Context, _option: click.Parameter, text: str) -> str:
    return _checked(text, lambda: Egress(allow=text, own_hosts=frozenset()))


def _smtp_url(_context: click.Context, _option: click.Parameter, text: str) -> str:
    return _checked(text, lambda: SmtpMail(text))


def _checked(text: str, read: Callable[[], object]) -> str:
    """Return a parameter that the functions will be able to read."""
    if text not in {"", NONE}:
        try:
            read()
        except ValueError as error:
            raise click.BadParameter(str(error)) from error
    return text


@click.group()
def main() -> None:
    """Deploy Platen, or take it away."""


@main.command()
@click.option("--stage", default="", callback=_stage)
@click.option("--api-host", default="", callback=_host, help="The API's own domain.")
@click.option("--files-host", default="", callback=_host, help="The files' domain, if another.")
@click.option(
    "--egress-allow",
    default="",
    envvar="EGRESS_ALLOW",
    callback=_egress_allow,
    help="Own networks that may be reached (CIDR:port, comma-separated); none: no more.",
)
@click.option(
    "--smtp-url",
    default="",
    envvar="SMTP_URL",
    callback=_smtp_url,
    help="The mail server for mail to owners; none: no more.",
)
@click.option("--folder", default="build", type=click.Path(path_type=Path))
def up(*, stage: str, folder: Path, **given: str) -> None:
    """Build the package and create the stack, or bring it up to date.

    What is not given stays as it was deployed.
    """
    account, stack = _find(stage)
    parameters = {_PARAMETERS[name]: text for name, text in given.items()}
    try:
        build(folder.absolute())
        address = update(stack, account.artifacts_bucket(), folder.absolute(), parameters)
    except PackageError as error:
        raise click.ClickException(f"{error}\nnothing was uploaded") from error
    except (DeployError, BotoCoreError, ClientError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{stack.name} serves at {address}/v1 (reference: {address}/docs)")
    click.echo(f"keys: .venv/bin/platen --stage {stage} key create --help")


@main.command()
@click.option("--stage", default="", callback=_stage)
def down(*, stage: str) -> None:
    """Delete the stack; tell what stays and how to remove it."""
    account, stack = _find(stage)
    try:
        kept = remove(stack)
    except (DeployError, BotoCoreError, ClientError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{stack.name} is deleted.")
    _tell("What customers entrusted to it is still there; this removes it for ever:", kept.data)
    _tell("What its functions logged is still there; this removes it:", kept.logs)
    shared = f"aws s3 rb --force s3://{account.artifacts_name}"
    _tell("The uploaded packages are shared with every other stage; after the last one:", [shared])


def _tell(heading: str, commands: list[str]) -> None:
    if commands:
        click.echo("\n".join([heading, *(f"  {command}" for command in commands)]))


def _find(stage: str) -> tuple[Account, Stack]:
    try:
        account = Account.of_environment()
    except DeployError as error:
        raise click.ClickException(str(error)) from error
    return account, Stack.of_stage(stage, account.session)


if __name__ == "__main__":
    main()
