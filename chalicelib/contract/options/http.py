"""HTTP options for pages and their assets."""

from typing import Annotated

from chalicelib.contract.options import values
from chalicelib.contract.options.base import Bounds, Options


class Cookie(Options, frozen=True):
    """Cookie; without a `domain` it belongs to the host of the page."""

    name: values.CookieName
    """Name of the cookie."""
    value: values.CookieValue
    """Value of the cookie."""
    domain: values.CookieDomain | None = None
    """Host of the page, or a domain above it. Null: the host of the page."""
    path: values.CookiePath | None = None
    """Paths of the page's host that get it, such as `/app`. Null: `/`."""
    secure: bool | None = None
    """Only over https. Null: if the page has an https URL."""
    http_only: bool | None = None
    """Scripts of the page cannot read it. Null: they can read it."""


class BasicAuth(Options, frozen=True):
    """Credentials of HTTP Basic authentication."""

    username: Annotated[str, Bounds(max_length=256)]
    """User name."""
    password: Annotated[str, Bounds(max_length=1024)]
    """Password."""


class HttpOptions(Options, frozen=True):
    """HTTP options for the page's own origin."""

    headers: (
        Annotated[dict[values.HeaderName, values.HeaderValue], Bounds(max_length=50)] | None
    ) = None
    """Request headers by name. Null: none."""
    cookies: Annotated[tuple[Cookie, ...], Bounds(max_length=50)] | None = None
    """Cookies. Null: none."""
    basic_auth: BasicAuth | None = None
    """Credentials of HTTP Basic authentication. Null: none."""
    user_agent: values.UserAgent | None = None
    """`User-Agent` of every request that the page makes. Null: that of the browser."""

    @property
    def origin_only_fields(self) -> list[str]:
        """Return the names of the given options that are sent to an origin only."""
        given = {"headers": self.headers, "cookies": self.cookies, "basic_auth": self.basic_auth}
        return [name for name, value in given.items() if value]
