"""Caller's headers and cookies, sent to the origin of the rendered URL only (decision 18)."""

from base64 import b64encode
from collections.abc import Callable
from typing import Final
from urllib.parse import urlsplit

from chalicelib.contract.options.http import Cookie, HttpOptions
from chalicelib.core.egress_policy import DEFAULT_PORTS
from chalicelib.core.json import Json
from chalicelib.engine.browser.chromium.pipe import Answer, CallRefusedError
from chalicelib.engine.browser.chromium.protocol import Event
from chalicelib.engine.browser.tab.tab import Tab
from chalicelib.engine.deadline import Deadline

# Connection headers: the browser refuses a request that sets one of them.
_CONNECTION_HEADERS: Final = frozenset(
    {"host", "content-length", "connection", "keep-alive", "te", "trailer", "transfer-encoding"}
    | {"upgrade", "proxy-authorization", "proxy-connection", "expect"}
)
type _Origin = tuple[str, str, int | None]


class Credentials:
    """Headers and cookies of one page, dropped for good once it leaves its origin.

    Headers go with requests of the page, and of frames that show its origin, if the request goes to
    that origin and no redirect led through another one. WebSockets carry the cookies only.
    """

    def __init__(self, options: HttpOptions, url: str) -> None:
        """Prepare the headers and cookies of `options` for the origin of `url`."""
        self._url = url
        self._host = (urlsplit(url).hostname or "").rstrip(".")
        # Taken from the first request, where the browser has normalized the URL.
        self._origin: _Origin | None = None
        self._has_left = False
        self._foreign_frames: set[str] = set()
        self._strayed_requests: set[str] = set()
        self._cookies, headers = options.cookies or (), options.headers or {}
        self._cookies_set: list[dict[str, Json]] = []
        # Options that are not sent, and why.
        self.unused_fields = {
            f"headers.{name}": "it is the browser's own"
            for name in headers
            if not _is_settable(name)
        }
        self._headers = {
            name.lower(): (name, value) for name, value in headers.items() if _is_settable(name)
        }
        if (auth := options.basic_auth) is not None:
            token = b64encode(f"{auth.username}:{auth.password}".encode()).decode()
            self._headers.setdefault("authorization", ("Authorization", f"Basic {token}"))

    def set_cookies(self, tab: Tab, deadline: Deadline) -> None:
        """Set the cookies; foreign and invalid ones are added to `unused_fields`."""
        for number, cookie in enumerate(self._cookies):
            field = f"cookies[{number}]"
            if not self._matches_host(cookie):
                self.unused_fields[field] = "its domain is another host"
                continue
            parameters = self._cookie_parameters(cookie)
            try:
                tab.wait_for(tab.send("Network.setCookie", **parameters), deadline)
            except CallRefusedError:
                self.unused_fields[field] = (
                    "the browser refuses it: its path must begin with /, and a name with __Host- "
                    "or __Secure- needs an https page"
                )
            else:
                self._cookies_set.append(parameters)

    def add_frame(self, parent: str, frame: str) -> None:
        """Record a new frame; until it navigates it has its parent's origin."""
        if parent in self._foreign_frames:
            self._foreign_frames.add(frame)

    def request_headers(self, event: Event) -> list[dict[str, str]] | None:
        """Return all headers for a paused request (Fetch.requestPaused); None leaves them as is."""
        request = event["request"]
        if not self._may_send(event, _origin(request["url"])) or not self._headers:
            return None
        original = {name.lower(): (name, value) for name, value in request["headers"].items()}
        merged = {**original, **self._headers}.values()
        return [{"name": name, "value": value} for name, value in merged]

    def follow_navigation(self, url: str, send: Callable[..., Answer]) -> Answer | None:
        """Record a navigation of the page to `url`, and drop everything when it leaves the origin.

        Return the answer that the request must wait for, as cookies are deleted before it is sent;
        None when it need not wait.
        """
        origin = _origin(url)
        self._origin = self._origin or origin
        if self._has_left or origin == self._origin:
            return None
        self._has_left = True
        last_deletion = None
        for cookie in self._cookies_set:
            identity = {key: cookie[key] for key in ("name", "url", "path")}
            last_deletion = send("Network.deleteCookies", **identity)
        # The browser answers in order: the last answer covers all deletions.
        return last_deletion

    def _may_send(self, event: Event, origin: _Origin) -> bool:
        # Redirects of one request share a network id.
        frame, chain = event["frameId"], event.get("networkId")
        leads_away, is_foreign = origin != self._origin, frame in self._foreign_frames
        if event["resourceType"] == "Document":
            (self._foreign_frames.add if leads_away else self._foreign_frames.discard)(frame)
        if chain is not None and leads_away:
            self._strayed_requests.add(chain)
        return not (self._has_left or leads_away or is_foreign or chain in self._strayed_requests)

    def _matches_host(self, cookie: Cookie) -> bool:
        domain = (cookie.domain or self._host).lower().strip(".")
        return f".{self._host}".endswith(f".{domain}")

    def _cookie_parameters(self, cookie: Cookie) -> dict[str, Json]:
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
            # No `domain`: a host-only cookie, whichever domain the caller names. Strict keeps it
            # out of requests that other sites make (RFC 6265bis 5.2).
            "sameSite": "Strict",
        }


def _is_settable(name: str) -> bool:
    return name.lower() not in _CONNECTION_HEADERS


def _origin(url: str) -> _Origin:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port or DEFAULT_PORTS.get(parts.scheme)
