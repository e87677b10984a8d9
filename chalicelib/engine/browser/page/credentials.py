"""What the page's own origin is told on its caller's behalf, and nobody else."""

from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from chalicelib.engine.browser.chromium.pipe import Answer, CallRefused
from chalicelib.engine.browser.page.tab import Tab
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.options.http import Cookie, HttpOptions

# They belong to the connection; the browser refuses a request that names one of them.
_CONNECTION_HEADERS: Final = frozenset(
    {"host", "content-length", "connection", "keep-alive", "te", "trailer", "transfer-encoding"}
    | {"upgrade", "proxy-authorization", "proxy-connection", "expect"}
)
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
type _Origin = tuple[str, str, int | None]


class Credentials:
    """Headers and cookies of one page, forgotten for good when it leads to another origin.

    A request of the page, and of a frame that shows its origin, has the headers if it asks that
    origin and has not come by way of another. WebSockets have the cookies only.
    """

    def __init__(self, options: HttpOptions, url: str) -> None:
        """Keep what is to be sent to the origin of `url`."""
        self._url = url
        self._host = (urlsplit(url).hostname or "").rstrip(".")
        # As the browser writes it: known with its first request.
        self._origin: _Origin | None = None
        self._has_left = False
        self._foreign_frames: set[str] = set()
        self._strayed_requests: set[str] = set()
        self._cookies = options.cookies
        self._cookies_set: list[dict[str, Any]] = []
        self.unused_fields = [
            f"headers.{name}" for name in options.headers if not _is_settable(name)
        ]
        self._headers = {
            name.lower(): (name, value)
            for name, value in options.headers.items()
            if _is_settable(name)
        }
        if options.basic_auth is not None:
            both = b64encode(":".join(options.basic_auth).encode()).decode()
            self._headers.setdefault("authorization", ("Authorization", f"Basic {both}"))

    def set_cookies(self, tab: Tab, deadline: Deadline) -> None:
        """Set the cookies; those that are another host's, or none, become `unused`."""
        for number, cookie in enumerate(self._cookies):
            parameters = self._cookie_parameters(cookie)
            try:
                if self._matches_host(cookie):
                    tab.wait_for(tab.send("Network.setCookie", **parameters), deadline)
                    self._cookies_set.append(parameters)
                    continue
            except CallRefused:
                pass
            self.unused_fields.append(f"cookies[{number}]")

    def add_frame(self, parent: str, frame: str) -> None:
        """Know of a new frame: until it shows a page, it is as its parent."""
        if parent in self._foreign_frames:
            self._foreign_frames.add(frame)

    def request_headers(self, event: Mapping[str, Any]) -> list[dict[str, str]] | None:
        """Return all headers of a request (Fetch.requestPaused); None: as they are."""
        request = event["request"]
        if not self._may_send(event, _origin(request["url"])) or not self._headers:
            return None
        own = {name.lower(): (name, value) for name, value in request["headers"].items()}
        both = {**own, **self._headers}.values()
        return [{"name": name, "value": value} for name, value in both]

    def _may_send(self, event: Mapping[str, Any], origin: _Origin) -> bool:
        frame, chain = event["frameId"], event.get("networkId")
        asks_foreign, is_foreign = origin != self._origin, frame in self._foreign_frames
        if event["resourceType"] == "Document":
            (self._foreign_frames.add if asks_foreign else self._foreign_frames.discard)(frame)
        if chain is not None and asks_foreign:
            self._strayed_requests.add(chain)
        return not (self._has_left or asks_foreign or is_foreign or chain in self._strayed_requests)

    def follow_navigation(self, url: str, send: Callable[..., Answer]) -> Answer | None:
        """Take a request for the page itself.

        One to another origin must wait for the answer: then all is forgotten.
        """
        origin = _origin(url)
        self._origin = self._origin or origin
        if self._has_left or origin == self._origin:
            return None
        self._has_left = True
        forgotten = None
        for given in self._cookies_set:
            named = {key: given[key] for key in ("name", "url", "path")}
            forgotten = send("Network.deleteCookies", **named)
        return forgotten

    def _matches_host(self, cookie: Cookie) -> bool:
        domain = (cookie.domain or self._host).lower().strip(".")
        return f".{self._host}".endswith(f".{domain}")

    def _cookie_parameters(self, cookie: Cookie) -> dict[str, Any]:
        scheme, _, port = _origin(self._url)
        return {
            "name": cookie.name,
            "value": cookie.value,
            "url": self._url,
            "path": cookie.path or "/",
            "secure": scheme == "https" if cookie.secure is None else cookie.secure,
            "sourceScheme": "Secure" if scheme == "https" else "NonSecure",
            "sourcePort": port,
            "httpOnly": bool(cookie.http_only),
            # Of this host alone, whichever domain is named, and not for what others ask of it.
            "sameSite": "Strict",
        }


def _is_settable(name: str) -> bool:
    return name.lower() not in _CONNECTION_HEADERS


def _origin(url: str) -> _Origin:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port or _DEFAULT_PORTS.get(parts.scheme)
