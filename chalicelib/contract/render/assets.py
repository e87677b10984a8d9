"""Assets of a render request: files beside the document."""

import binascii
from typing import Annotated, Self

from pydantic import Field, StringConstraints, field_validator, model_validator

from chalicelib.contract.base import Model
from chalicelib.contract.field_types import UploadId
from chalicelib.contract.options.assets import (
    MAX_ASSET_PATH_CHARS,
    MAX_ASSETS,
    checked_path,
)


class AssetSpec(Model):
    """A file beside the document: exactly one of `upload_id` and `content`."""

    path: Annotated[str, StringConstraints(min_length=1, max_length=MAX_ASSET_PATH_CHARS)]
    """The relative address by which the document, its header, its footer or another asset names
    the file: `logo.png`, `fonts/a.woff2`. `./a` equals `a`, percent-encoding is decoded; an
    address finds the file without its query and fragment."""
    upload_id: UploadId | None = None
    """An upload; not with zero retention."""
    content: (
        Annotated[str, StringConstraints(min_length=4, pattern=r"^[A-Za-z0-9+/\s]+=*\s*$")] | None
    ) = None
    """The bytes in base64."""
    content_type: (
        Annotated[
            str,
            StringConstraints(
                max_length=255,
                pattern=r"^[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+(?:;[ -~]*)?$",
            ),
        ]
        | None
    ) = None
    """Null: that of the path's extension."""

    @field_validator("path")
    @classmethod
    def _check_path(cls, path: str) -> str:
        checked_path(path)
        return path

    @field_validator("content")
    @classmethod
    def _check_content(cls, content: str | None) -> str | None:
        if content is not None:
            try:
                binascii.a2b_base64(content)
            except binascii.Error as error:
                message = f"is not base64: {error}"
                raise ValueError(message) from None
        return content

    @model_validator(mode="after")
    def _check_exactly_one(self) -> Self:
        if (self.upload_id is None) == (self.content is None):
            message = "needs either upload_id or content"
            raise ValueError(message)
        return self


AssetSpecs = Annotated[list[AssetSpec], Field(max_length=MAX_ASSETS)]
