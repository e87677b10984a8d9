"""Mail to the owners of a workspace."""

import logging
from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.people.model import is_email_address
from chalicelib.features.workspaces.people.repository import Members

log = logging.getLogger(__name__)


class SendMail(Protocol):
    """Function that sends mail."""

    def __call__(self, to: Sequence[str], subject: str, text: str) -> None:
        """Send one mail to all recipients."""
        ...


class NotifyOwners(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Mail to the owners of a workspace; the log contains no email address.

    `find_mailer` returns None without a mail server.
    """

    members: Members
    find_mailer: Callable[[], SendMail | None]

    def __call__(self, workspace: Workspace, subject: str, text: str) -> None:
        """Send one mail; raise the error of the mail server, so that the caller retries."""
        details = {"workspace": workspace.id, "subject": subject}
        members = self.members.of_workspace(workspace)
        owners = [
            row.email for row in members if row.role == "owner" and is_email_address(row.email)
        ]
        send_mail = self.find_mailer()
        if send_mail is None:
            log.warning("mail_not_configured", extra=details)
            return
        if not owners:
            log.info("no owner to notify", extra=details)
            return
        send_mail(owners, subject, text)
        log.info("mail sent", extra=details)
