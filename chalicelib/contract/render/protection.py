"""Encryption of a PDF and the permissions of its readers (Protection)."""

from typing import Annotated, Final, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from chalicelib.contract.base import Model
from chalicelib.contract.options import pdf as options
from chalicelib.core.passwords import prepare_password

# AES-256 uses the first 127 bytes of a password (ISO 32000-2, 7.6.4.3.3).
MAX_PASSWORD_BYTES: Final = 127

# The defaults stand in the typed options.
_PERMISSIONS: Final = options.Permissions()


def _check_password(text: str) -> str:
    if len(text.encode()) > MAX_PASSWORD_BYTES:
        message = f"must have at most {MAX_PASSWORD_BYTES} bytes in UTF-8"
        raise ValueError(message)
    return text


Password = Annotated[
    str,
    StringConstraints(min_length=1, max_length=MAX_PASSWORD_BYTES),
    AfterValidator(_check_password),
]


def _check_new_password(text: str) -> str:
    _check_password(prepare_password(text))
    return text


NewPassword = Annotated[Password, AfterValidator(_check_new_password)]


class Permissions(Model):
    """What a reader without the owner password may do."""

    print: bool = _PERMISSIONS.print
    copy_: Annotated[bool, Field(alias="copy")] = _PERMISSIONS.copy_
    modify: bool = _PERMISSIONS.modify
    annotate: bool = _PERMISSIONS.annotate


class Protection(Model):
    """Encryption with AES-256; at least one password."""

    user_password: NewPassword | None = None
    """Needed to open the document."""
    owner_password: NewPassword | None = None
    """Allows everything that `permissions` forbid, and changes of the protection. Without this
    password, no reader can do so."""
    permissions: Permissions = Permissions()

    @model_validator(mode="after")
    def _check_passwords(self) -> Self:
        if self.user_password is None and self.owner_password is None:
            message = "needs user_password or owner_password"
            raise ValueError(message)
        prepared = {
            prepare_password(each) for each in (self.user_password, self.owner_password) if each
        }
        if len(prepared) == 1 and None not in {self.user_password, self.owner_password}:
            message = "the passwords must differ: who opens it with the owner's may do everything"
            raise ValueError(message)
        return self
