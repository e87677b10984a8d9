"""Encryption: AES-256 (ISO 32000-2, revision 6), and what readers let people do."""

import secrets
from typing import TYPE_CHECKING

from chalicelib.engine.options.pdf import Protection

if TYPE_CHECKING:
    import pikepdf


def encryption_of(protection: Protection) -> "pikepdf.Encryption":
    """Return how the document is to be encrypted.

    Without an owner password nobody has one: an empty one would open the document for everybody.
    """
    import pikepdf  # noqa: PLC0415 -- only a document that is opened needs it

    return pikepdf.Encryption(
        owner=protection.owner_password or secrets.token_urlsafe(32),
        user=protection.user_password or "",
        R=6,
        allow=pikepdf.Permissions(
            accessibility=True,
            extract=protection.may_copy,
            modify_annotation=protection.may_annotate,
            modify_form=protection.may_annotate,
            modify_assembly=protection.may_modify,
            modify_other=protection.may_modify,
            print_lowres=protection.may_print,
            print_highres=protection.may_print,
        ),
    )
