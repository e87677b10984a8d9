"""HTTP options for pages and their assets."""

from typing import Annotated

from chalicelib.contract.options import values
from chalicelib.contract.options.base import Bounds, Options


class Cookie(Options, frozen=True):
    """Cookie; without a `domain` it belongs to the host of the page."""

    name: values.CookieName
    value: values.CookieValue
    domain: values.CookieDomain | None = None
    path: values.CookiePath | None = None
    secure: bool | None = None
    http_only: bool | None = None


class BasicAuth(Options, frozen=True):
    """Credentials of HTTP Basic authentication."""

    username: Annotated[str, Bounds(max_length=256)]
    password: Annotated[str, Bounds(max_length=1024)]


class HttpOptions(Options, frozen=True):
    """HTTP options for the page's own origin."""

    headers: (
        Annotated[dict[values.HeaderName, values.HeaderValue], Bounds(max_length=50)] | None
    ) = None
    cookies: Annotated[tuple[Cookie, ...], Bounds(max_length=50)] | None = None
    basic_auth: BasicAuth | None = None
    user_agent: values.UserAgent | None = None

    @property
    def origin_only_fields(self) -> list[str]:
        """Return the names of the given options that are sent to an origin only."""
        given = {"headers": self.headers, "cookies": self.cookies, "basic_auth": self.basic_auth}
        return [name for name, value in given.items() if value]
