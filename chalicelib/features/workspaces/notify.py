"""Service mail to the owners of a workspace."""

import logging
from collections.abc import Sequence
from typing import Protocol

from chalicelib.features.workspaces.members import Members, is_address
from chalicelib.features.workspaces.model import Workspace

log = logging.getLogger(__name__)


class Mail(Protocol):
    """What sends mail."""

    def __call__(self, to: Sequence[str], subject: str, text: str) -> None:
        """Send one text to all of them."""
        ...


class NotifyOwners:
    """Sends mail to a workspace's owners; what is logged of it names no address."""

    def __init__(self, *, members: Members, mail: Mail | None) -> None:
        """Send with `mail`; None: there is no mail server."""
        self._members = members
        self._mail = mail

    def __call__(self, workspace: Workspace, subject: str, text: str) -> None:
        """Send one mail; raises what the mail server's failure raises, to be tried again."""
        known = {"workspace": workspace.id, "subject": subject}
        members = self._members.of(workspace)
        owners = [row.email for row in members if row.role == "owner" and is_address(row.email)]
        if self._mail is None:
            log.warning("mail_not_configured", extra=known)
            return
        if not owners:
            log.info("no owner to be told", extra=known)
            return
        self._mail(owners, subject, text)
        log.info("mail sent", extra=known)
