"""Bytes that a request names: an upload, an address, or the content itself."""

from typing import Annotated, Self

from pydantic import StringConstraints, model_validator

from chalicelib.contract.base import Model

UploadId = Annotated[str, StringConstraints(min_length=1, max_length=64)]
Url = Annotated[str, StringConstraints(min_length=8, max_length=2048)]
Base64 = Annotated[str, StringConstraints(min_length=1, pattern=r"^[A-Za-z0-9+/\s]+=*\s*$")]


class ContentSource(Model):
    """Exactly one of `upload_id`, `url` and `content`."""

    upload_id: UploadId | None = None
    url: Url | None = None
    """An http or https address that anybody may fetch."""
    content: (
        Annotated[str, StringConstraints(min_length=1, pattern=r"^[A-Za-z0-9+/\s]+=*\s*$")] | None
    ) = None
    """The bytes in base64."""

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        if sum(given is not None for given in (self.upload_id, self.url, self.content)) != 1:
            message = "needs exactly one of upload_id, url and content"
            raise ValueError(message)
        return self
