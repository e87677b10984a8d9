"""Protection of a document by passwords and permissions."""

import secrets
from typing import TYPE_CHECKING

from chalicelib.contract.options.pdf import Protection
from chalicelib.core.passwords import prepare_password

if TYPE_CHECKING:
    import pikepdf


def pdf_encryption(protection: Protection) -> "pikepdf.Encryption":
    """Return the encryption settings of the document.

    Without an owner password a random one is set: an empty one would open the document for
    everybody. A password is prepared as readers prepare a typed one.
    """
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    allowed = protection.permissions
    return pikepdf.Encryption(
        owner=prepare_password(protection.owner_password or secrets.token_urlsafe(32)),
        user=prepare_password(protection.user_password) if protection.user_password else "",
        R=6,
        allow=pikepdf.Permissions(
            accessibility=True,
            extract=allowed.copy_,
            modify_annotation=allowed.annotate,
            modify_form=allowed.annotate,
            modify_assembly=allowed.modify,
            modify_other=allowed.modify,
            print_lowres=allowed.print,
            print_highres=allowed.print,
        ),
    )
