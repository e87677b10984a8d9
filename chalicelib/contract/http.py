"""How pages and their parts are asked for (HttpOptions and its parts)."""

from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from chalicelib.contract.base import Model


def _no_line_breaks(text: str) -> str:
    if any(character in text for character in "\r\n\0"):
        message = "must have no line breaks"
        raise ValueError(message)
    return text


HeaderName = Annotated[
    str, StringConstraints(min_length=1, max_length=256, pattern=r"^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
]
HeaderValue = Annotated[str, StringConstraints(max_length=8192), AfterValidator(_no_line_breaks)]


class Cookie(Model):
    """A cookie for the page's own origin alone; `domain` is its host or one above that."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=256)]
    value: Annotated[str, StringConstraints(max_length=4096)]
    domain: Annotated[str, StringConstraints(max_length=253)] | None = None
    path: Annotated[str, StringConstraints(max_length=1024)] | None = None
    secure: bool | None = None
    http_only: bool | None = None


class BasicAuth(Model):
    """What a page is asked for that wants a password."""

    username: Annotated[str, StringConstraints(max_length=256)]
    password: Annotated[str, StringConstraints(max_length=1024)]


class HttpOptions(Model):
    """Sent to the page's own origin only."""

    headers: Annotated[dict[HeaderName, HeaderValue], Field(max_length=50)] | None = None
    cookies: Annotated[list[Cookie], Field(max_length=50)] | None = None
    basic_auth: BasicAuth | None = None
    user_agent: (
        Annotated[str, StringConstraints(max_length=512), AfterValidator(_no_line_breaks)] | None
    ) = None
