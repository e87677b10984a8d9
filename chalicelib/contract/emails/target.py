"""Email rules that a request or a template's options choose, with other recipients."""

from typing import Annotated

from pydantic import AfterValidator, Discriminator, Field, StringConstraints, Tag

from chalicelib.contract.base import Model
from chalicelib.contract.emails.address import check_name
from chalicelib.core.mailbox import parse_mailbox


def _check_recipient(text: str) -> str:
    """Return an address, or `Name <address>`; raise ValueError for anything else."""
    check_name(text)
    if parse_mailbox(text) is None:
        message = "an email address is expected, or a name and <an address>, in one line"
        raise ValueError(message)
    return text


Recipient = Annotated[
    str, StringConstraints(min_length=1, max_length=512), AfterValidator(_check_recipient)
]
CopyRecipients = Annotated[list[Recipient], Field(max_length=50)]


class EmailTarget(Model):
    """An email rule of the template, with recipients that replace the rule's own."""

    rule_id: Annotated[str, StringConstraints(min_length=1, max_length=64)]
    """Id of an enabled email rule of the template, `emr_…`."""
    to: Annotated[list[Recipient], Field(min_length=1, max_length=50)] | None = None
    """Addresses, or `Name <address>`, in place of the rule's `to`. Null: those of the rule."""
    cc: CopyRecipients | None = None
    """Addresses that get a copy, in place of the rule's `cc`. Empty: none. Null: those of the
    rule."""
    bcc: CopyRecipients | None = None
    """Addresses that get a hidden copy, in place of the rule's `bcc`. Empty: none. Null: those of
    the rule."""


def _check_false(value: bool) -> bool:  # noqa: FBT001 -- pydantic calls it
    if value:
        message = "must be false or a list of rules"
        raise ValueError(message)
    return value


# False: no email. The branch is chosen by the value, so an error in a list is not one of the other.
EmailTargets = Annotated[
    Annotated[
        bool,
        AfterValidator(_check_false),
        Tag("none"),
    ]
    | Annotated[list[EmailTarget], Field(min_length=1, max_length=5), Tag("rules")],
    Discriminator(lambda value: "rules" if isinstance(value, list) else "none"),
]
