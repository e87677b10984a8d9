"""Members of a workspace (`WS#<ws>`, `MEMBER#<email address>`), and mail to its owners."""

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Final, Literal, Protocol

from chalicelib.adapters.aws.table import Row, Tables, Write
from chalicelib.core.clock import parse_rfc3339
from chalicelib.core.errors import NotFound, validation_error
from chalicelib.core.ids import WorkspaceId, derived_id
from chalicelib.features.workspaces.model import Workspace

log = logging.getLogger(__name__)

type Role = Literal["owner", "admin", "developer"]

ROLES: Final[tuple[Role, ...]] = ("owner", "admin", "developer")
# Without quoted local parts: they may contain characters with a meaning in mail headers.
_EMAIL_ADDRESS: Final = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+"
)
_MAX_EMAIL_CHARS: Final = 254


@dataclass(frozen=True, slots=True)
class Member:
    """Person in a workspace; the lower-case email address identifies the person."""

    id: str
    workspace_id: WorkspaceId
    email: str
    role: Role
    verified: bool
    created_at: str


class Members:
    """Repository of members."""

    def __init__(self, tables: Tables, table: str) -> None:
        """Store the table and its name."""
        self._tables = tables
        self._table = table

    def of_workspace(self, workspace: Workspace) -> list[Member]:
        """Return the members of a workspace, its owner first, with or without a row."""
        rows = [_member_of(row) for row in self._rows(workspace.id)]
        if workspace.owner_email is not None and not any(
            row.email == workspace.owner_email for row in rows
        ):
            # Workspaces of earlier releases have no member rows.
            rows.append(owner_member(workspace))
        return sorted(rows, key=lambda row: (row.email != workspace.owner_email, row.created_at))

    def is_verified(self, workspace: Workspace, email: str) -> bool:
        """Tell whether an address is the verified one of a member."""
        row = self._tables.get(self._table, f"WS#{workspace.id}", f"MEMBER#{email.lower()}")
        if row is not None:
            return _member_of(row).verified
        # Workspaces of earlier releases have no member rows.
        return email.lower() == workspace.owner_email and workspace.owner_verified

    def require(self, workspace: Workspace, email: str, field: str = "/email") -> Member:
        """Return the member of an address; raise `not_found`, or `validation_error` at a field."""
        address = normalized_email(field, email)
        for known in self.of_workspace(workspace):
            if known.email.lower() == address:
                return known
        raise NotFound("not_found", f"{address} is no member of {workspace.id}.")

    def creation(self, member: Member) -> Write:
        """Return the write that creates a member; its condition is that the row does not exist."""
        item = asdict(member) | _key(member.workspace_id, member.email)
        return Write(self._table, item=item, condition="attribute_not_exists(PK)")

    def replacement(self, member: Member) -> Write:
        """Return the write that creates or replaces a member."""
        return Write(self._table, item=asdict(member) | _key(member.workspace_id, member.email))

    def removal(self, member: Member) -> Write:
        """Return the write that deletes a member."""
        return Write(self._table, key=_key(member.workspace_id, member.email))

    def _rows(self, workspace_id: WorkspaceId) -> Iterator[Row]:
        start: Row | None = None
        while True:
            page = self._tables.query(
                self._table,
                "PK = :pk AND begins_with(SK, :members)",
                {":pk": f"WS#{workspace_id}", ":members": "MEMBER#"},
                start=start,
            )
            yield from page.items
            start = page.last_evaluated_key
            if start is None:
                return


def new_member(workspace: Workspace, email: str, role: Role, at: str) -> Member:
    """Return a new member with an unverified email address."""
    created = parse_rfc3339(at)
    member_id = derived_id("mem", created, workspace.id, email)
    return Member(member_id, workspace.id, email, role, verified=False, created_at=at)


def owner_member(workspace: Workspace) -> Member:
    """Return the owner of a workspace as a member."""
    assert workspace.owner_email is not None
    created = parse_rfc3339(workspace.created_at)
    return Member(
        id=derived_id("mem", created, workspace.id, workspace.owner_email),
        workspace_id=workspace.id,
        email=workspace.owner_email,
        role="owner",
        verified=workspace.owner_verified,
        created_at=workspace.created_at,
    )


def normalized_email(field: str, text: str) -> str:
    """Return an email address in lower case; raise `validation_error` if it is invalid."""
    if not is_email_address(text):
        raise validation_error(field, "an email address such as ada@example.com is expected")
    return text.lower()


def is_email_address(text: str) -> bool:
    """Return whether the text is an email address; earlier releases accepted any text."""
    return len(text) <= _MAX_EMAIL_CHARS and _EMAIL_ADDRESS.fullmatch(text) is not None


def _key(workspace_id: WorkspaceId, email: str) -> dict[str, str]:
    return {"PK": f"WS#{workspace_id}", "SK": f"MEMBER#{email}"}


def _member_of(item: Row) -> Member:
    return Member(**{name: item[name] for name in Member.__dataclass_fields__})


class SendMail(Protocol):
    """Function that sends mail."""

    def __call__(self, to: Sequence[str], subject: str, text: str) -> None:
        """Send one mail to all recipients."""
        ...


class NotifyOwners:
    """Mail to the owners of a workspace; the log contains no email address."""

    def __init__(self, *, members: Members, find_mailer: Callable[[], SendMail | None]) -> None:
        """Store the parts; `find_mailer` returns None without a mail server."""
        self._members = members
        self._find_mailer = find_mailer

    def __call__(self, workspace: Workspace, subject: str, text: str) -> None:
        """Send one mail; raise the error of the mail server, so that the caller retries."""
        details = {"workspace": workspace.id, "subject": subject}
        members = self._members.of_workspace(workspace)
        owners = [
            row.email for row in members if row.role == "owner" and is_email_address(row.email)
        ]
        send_mail = self._find_mailer()
        if send_mail is None:
            log.warning("mail_not_configured", extra=details)
            return
        if not owners:
            log.info("no owner to notify", extra=details)
            return
        send_mail(owners, subject, text)
        log.info("mail sent", extra=details)
