"""`python -m infra.deploy up|down --stage NAME`: what `make deploy` and `make destroy` run."""

import re
from pathlib import Path
from typing import Final

import click
from botocore.exceptions import BotoCoreError, ClientError

from infra.deploy.account import Account
from infra.deploy.errors import DeployError
from infra.deploy.removal import remove
from infra.deploy.stack import Stack
from infra.deploy.update import update
from infra.package.build import build
from infra.package.errors import PackageError

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


@click.group()
def main() -> None:
    """Deploy Platen, or take it away."""


@main.command()
@click.option("--stage", default="", callback=_stage)
@click.option("--api-host", default="", callback=_host, help="The API's own domain.")
@click.option("--files-host", default="", callback=_host, help="The files' domain, if another.")
@click.option("--folder", default="build", type=click.Path(path_type=Path))
def up(*, stage: str, api_host: str, files_host: str, folder: Path) -> None:
    """Build the package and create the stack, or bring it up to date."""
    account, stack = _find(stage)
    given = {"ApiHost": api_host, "FilesHost": files_host}
    try:
        build(folder.absolute())
        address = update(stack, account.artifacts_bucket(), folder.absolute(), given)
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
    _, stack = _find(stage)
    try:
        kept = remove(stack)
    except (DeployError, BotoCoreError, ClientError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{stack.name} is deleted.")
    if kept:
        click.echo("What customers entrusted to it is still there; this removes it for ever:")
        click.echo("\n".join(f"  {command}" for command in kept))


def _find(stage: str) -> tuple[Account, Stack]:
    try:
        account = Account.of_environment()
    except DeployError as error:
        raise click.ClickException(str(error)) from error
    return account, Stack.of_stage(stage, account.session)


if __name__ == "__main__":
    main()
