"""Member of a workspace."""

import re
from dataclasses import dataclass
from typing import Final, Literal

from chalicelib.core.clock import parse_rfc3339
from chalicelib.core.errors import validation_error
from chalicelib.core.ids import WorkspaceId, derived_id
from chalicelib.features.workspaces.model import Workspace

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
