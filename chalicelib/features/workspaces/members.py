"""The people of a workspace: `WS#<ws>`, `MEMBER#<address>`."""

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Final, Literal

from chalicelib.adapters.aws.table import Item, Tables, Write
from chalicelib.core.clock import parse_rfc3339
from chalicelib.core.errors import invalid
from chalicelib.core.ids import WorkspaceId, derived
from chalicelib.features.workspaces.model import Workspace

type Role = Literal["owner", "admin", "developer"]

ROLES: Final[tuple[Role, ...]] = ("owner", "admin", "developer")
# Without quoted local parts: what they may hold means something in a header.
_ADDRESS: Final = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+"
)
_ADDRESS_CHARS: Final = 254


@dataclass(frozen=True, slots=True)
class Member:
    """One person, known by the address; two of the same letters are one."""

    id: str
    workspace_id: WorkspaceId
    email: str
    role: Role
    verified: bool
    created_at: str


class Members:
    """The members of all workspaces."""

    def __init__(self, tables: Tables, table: str) -> None:
        """Keep them in this table."""
        self._tables = tables
        self._table = table

    def of(self, workspace: Workspace) -> list[Member]:
        """Return a workspace's members; its owner comes first, recorded or not."""
        rows = [_member(row) for row in self._rows(workspace.id)]
        if workspace.owner_email is not None and not any(
            row.email == workspace.owner_email for row in rows
        ):
            # Workspaces of earlier releases have no records of members.
            rows.append(owner_of(workspace))
        return sorted(rows, key=lambda row: (row.email != workspace.owner_email, row.created_at))

    def creation(self, member: Member) -> Write:
        """Return the write that makes a member; it is refused where there is one already."""
        item = asdict(member) | _key(member.workspace_id, member.email)
        return Write(self._table, item=item, condition="attribute_not_exists(PK)")

    def replacement(self, member: Member) -> Write:
        """Return the write that makes a member what is given, recorded before or not."""
        return Write(self._table, item=asdict(member) | _key(member.workspace_id, member.email))

    def removal(self, member: Member) -> Write:
        """Return the write that removes a member."""
        return Write(self._table, key=_key(member.workspace_id, member.email))

    def _rows(self, workspace_id: WorkspaceId) -> Iterator[Item]:
        start: Item | None = None
        while True:
            page = self._tables.query(
                self._table,
                "PK = :pk AND begins_with(SK, :members)",
                {":pk": f"WS#{workspace_id}", ":members": "MEMBER#"},
                start=start,
            )
            yield from page.items
            start = page.last_key
            if start is None:
                return


def member(workspace: Workspace, email: str, role: Role, at: str) -> Member:
    """Return a new member, whose address is unverified."""
    made = parse_rfc3339(at)
    member_id = derived("mem", made, workspace.id, email)
    return Member(member_id, workspace.id, email, role, verified=False, created_at=at)


def owner_of(workspace: Workspace) -> Member:
    """Return the member that a workspace's owner is."""
    assert workspace.owner_email is not None
    made = parse_rfc3339(workspace.created_at)
    return Member(
        id=derived("mem", made, workspace.id, workspace.owner_email),
        workspace_id=workspace.id,
        email=workspace.owner_email,
        role="owner",
        verified=workspace.owner_verified,
        created_at=workspace.created_at,
    )


def address(field: str, text: str) -> str:
    """Return an email address in small letters; raises `validation_error` for what is none."""
    if not is_address(text):
        raise invalid(field, "an email address such as ada@example.com is expected")
    return text.lower()


def is_address(text: str) -> bool:
    """Tell whether mail can be sent there; earlier releases took anything for one."""
    return len(text) <= _ADDRESS_CHARS and _ADDRESS.fullmatch(text) is not None


def _key(workspace_id: WorkspaceId, email: str) -> dict[str, str]:
    return {"PK": f"WS#{workspace_id}", "SK": f"MEMBER#{email}"}


def _member(item: Item) -> Member:
    return Member(**{name: item[name] for name in Member.__dataclass_fields__})
