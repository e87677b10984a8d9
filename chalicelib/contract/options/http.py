"""HTTP options for pages and their assets."""

from collections.abc import Mapping

from chalicelib.contract.options.base import Options


class Cookie(Options, frozen=True):
    """Cookie; without a `domain` it belongs to the host of the page."""

    name: str
    value: str
    domain: str | None = None
    path: str | None = None
    secure: bool | None = None
    http_only: bool | None = None


class BasicAuth(Options, frozen=True):
    """Credentials of HTTP Basic authentication."""

    username: str
    password: str


class HttpOptions(Options, frozen=True):
    """HTTP options for the page's own origin."""

    headers: Mapping[str, str] | None = None
    cookies: tuple[Cookie, ...] | None = None
    basic_auth: BasicAuth | None = None
    user_agent: str | None = None

    @property
    def origin_only_fields(self) -> list[str]:
        """Return the names of the given options that are sent to an origin only."""
        given = {"headers": self.headers, "cookies": self.cookies, "basic_auth": self.basic_auth}
        return [name for name, value in given.items() if value]
