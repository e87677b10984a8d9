"""`platen mail`: the mail server for mail to owners."""

import sys
from typing import Any
from urllib.parse import urlsplit

import click

from chalicelib.adapters.net.smtp import NO_SERVER, SmtpMailer
from chalicelib.core.errors import validation_error
from infra.operator.connection import mail_secret
from infra.operator.output import print_answer


@click.group()
def mail() -> None:
    """Manage the mail server for mail to owners."""


@mail.command("set", epilog="Example: platen mail set")
@print_answer
def set_server() -> dict[str, Any]:
    """Store the URL of the mail server, from a prompt or standard input.

    The URL is `smtp[s]://user:password@host:port?from=address`, or `none` for no mail. It takes a
    few minutes to spread.
    """
    secret = mail_secret()
    url = _read_url()
    if url != NO_SERVER:
        try:
            SmtpMailer(url)
        except ValueError as reason:
            raise validation_error("/url", str(reason)) from reason
    secret.replace(url)
    return {"server": urlsplit(url).hostname}


def _read_url() -> str:
    # Arguments and variables of a command are visible to other processes.
    if sys.stdin.isatty():
        return str(click.prompt("URL of the mail server", hide_input=True, err=True)).strip()
    return sys.stdin.readline().strip()
