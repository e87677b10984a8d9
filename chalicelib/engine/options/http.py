"""HTTP options for pages and their assets: the contract's HttpOptions."""

from collections.abc import Mapping
from typing import Any, NamedTuple, Self


class Cookie(NamedTuple):
    """Cookie; without a `domain` it belongs to the host of the page."""

    name: str
    value: str
    domain: str | None
    path: str | None
    secure: bool | None
    http_only: bool | None


class HttpOptions(NamedTuple):
    """HTTP options for the page's own origin; `basic_auth` is user name and password."""

    headers: Mapping[str, str] = {}
    cookies: tuple[Cookie, ...] = ()
    basic_auth: tuple[str, str] | None = None
    user_agent: str | None = None

    @classmethod
    def from_json(cls, source: Mapping[str, Any]) -> Self:
        """Read HttpOptions."""
        auth = source.get("basic_auth")
        return cls(
            headers=dict(source.get("headers") or {}),
            cookies=tuple(_cookie(cookie) for cookie in source.get("cookies") or ()),
            basic_auth=None if auth is None else (auth["username"], auth["password"]),
            user_agent=source.get("user_agent"),
        )

    @property
    def origin_only_fields(self) -> list[str]:
        """Return the names of the given options that are sent to an origin only."""
        given = {"headers": self.headers, "cookies": self.cookies, "basic_auth": self.basic_auth}
        return [name for name, value in given.items() if value]


def _cookie(source: Mapping[str, Any]) -> Cookie:
    return Cookie(
        name=source["name"],
        value=source["value"],
        domain=source.get("domain"),
        path=source.get("path"),
        secure=source.get("secure"),
        http_only=source.get("http_only"),
    )
