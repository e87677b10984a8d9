"""Client of the public API, of the service on this machine or of another one."""

import json
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, Self
from urllib.parse import urlsplit

import click

from infra.operator import connection
from infra.operator.api.problem import ProblemError
from infra.operator.output import CommandError

if TYPE_CHECKING:
    import httpx

# JSON object of the service, whose form the contract tells.
type Answer = dict[str, Any]

_TIMEOUT_S: Final = 90.0
_POLL_S: Final = 0.5
_MAX_WAIT_S: Final = 900.0
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
_UNFINISHED: Final = ("queued", "processing")


class UnreachableError(CommandError):
    """The service does not answer."""


def service_options[**P](command: Callable[P, None]) -> Callable[P, None]:
    """Decorate a command with `--url` and `--key`, which name the service that it speaks to."""
    for option in (
        click.option(
            "--key",
            envvar="PLATEN_KEY",
            metavar="KEY",
            help="API key; or PLATEN_KEY. Default: the test key of this machine's service.",
        ),
        click.option(
            "--url",
            envvar="PLATEN_URL",
            metavar="URL",
            help="Service, such as https://api.example.com/v1; or PLATEN_URL. Default: this "
            "machine's.",
        ),
    ):
        command = option(command)
    return command


def connect(url: str | None, key: str | None) -> "ServiceApi":
    """Return the client of the service that options, variables or `run.json` name.

    Raises UsageError for a URL that would show the key to others, and CommandError if there is no
    service, or no key for it.
    """
    if click.get_current_context().find_root().params.get("stage"):
        raise click.UsageError("this command speaks the API: name the service by --url and --key")
    local = _local_service()
    base_url = _base_url(url or str(local.get("base_url", "")))
    if key is None and base_url == local.get("base_url"):
        key = local.get("test_key")
    if not base_url:
        message = "no service runs on this machine: start it with `make up`, or name one by --url"
        raise CommandError("no_service", message)
    if not key:
        raise CommandError("api_key_missing", f"{base_url} needs a key: --key, or PLATEN_KEY")
    return ServiceApi(base_url, key)


def _local_service() -> Answer:
    try:
        run = json.loads((connection.run_folder() / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return run if isinstance(run, dict) else {}


def _base_url(url: str) -> str:
    if not url:
        return ""
    try:
        parts = urlsplit(url)
        is_safe = parts.scheme == "https" or (
            parts.scheme == "http" and parts.hostname in _LOOPBACK
        )
        is_usable = is_safe and parts.hostname and not parts.query and not parts.username
    except ValueError:
        is_usable = False
    if not is_usable:
        raise click.UsageError("--url is https://host/v1, or http:// on this machine")
    bare = url.rstrip("/")
    return bare if bare.endswith("/v1") else f"{bare}/v1"


class ServiceApi:
    """Requests with one key; a refusal is a ProblemError, a silent service UnreachableError."""

    def __init__(self, base_url: str, key: str) -> None:
        """Open no connection yet."""
        import httpx

        self.base_url: Final = base_url
        if not key.isascii() or not key.isprintable():
            raise click.UsageError("--key has characters that no key has")
        # A proxy of the environment does not lead to this machine.
        uses_proxies = urlsplit(base_url).hostname not in _LOOPBACK
        headers = {"Authorization": f"Bearer {key}"}
        self._http = httpx.Client(headers=headers, timeout=_TIMEOUT_S, trust_env=uses_proxies)
        # Signed URLs lead elsewhere, where the key must not go.
        self._files = httpx.Client(
            timeout=_TIMEOUT_S, follow_redirects=True, trust_env=uses_proxies
        )

    def __enter__(self) -> Self:
        """Return the client."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connections."""
        self._http.close()
        self._files.close()

    def call(self, method: str, path: str, body: Mapping[str, object] | None = None) -> Answer:
        """Return the JSON of an answer; an answer without a body is empty."""
        content = None if body is None else _body_bytes(body)
        headers = {} if body is None else {"Content-Type": "application/json"}
        url = f"{self.base_url}{path}"
        answer = self._send(
            lambda: self._http.request(method, url, content=content, headers=headers)
        )
        if answer.is_redirect:
            location = answer.headers["Location"]
            answer = self._send(lambda: self._files.get(location))
        if answer.is_error:
            raise ProblemError(_problem(answer))
        return _json_object(answer) if answer.content else {}

    def all_rows(self, path: str) -> list[Answer]:
        """Return the rows of a list, of all its pages."""
        rows: list[Answer] = []
        query = "?limit=100"
        while True:
            page = self.call("GET", path + query)
            rows += page["data"]
            if not page["has_more"]:
                return rows
            query = f"?limit=100&cursor={page['next_cursor']}"

    def render(self, body: Mapping[str, object]) -> Answer:
        """Make a render and return it when it has ended; raises ProblemError if it fails."""
        render = self.call("POST", "/renders", body)
        until = time.monotonic() + _MAX_WAIT_S
        while render["status"] in _UNFINISHED:
            if time.monotonic() > until:
                message = f"{render['id']} has not ended yet: ask for it with `platen render trace`"
                raise CommandError("render_timeout", message)
            time.sleep(_POLL_S)
            render = self.call("GET", f"/renders/{render['id']}")
        if render["status"] != "succeeded":
            error = render.get("error") or {"code": render["status"], "message": render["status"]}
            raise ProblemError({**error, "render_id": render["id"]})
        return render

    def upload(self, filename: str, content: bytes) -> str:
        """Send a file ahead and return the id of the upload."""
        announced = {"filename": filename, "bytes": len(content)}
        upload = self.call("POST", "/uploads", announced)
        form = upload["upload"]
        sent = self._send(
            lambda: self._files.post(
                form["url"], data=form["fields"], files={"file": (filename, content)}
            )
        )
        if sent.is_error:
            message = f"{filename} was not taken: status {sent.status_code} of the upload"
            raise CommandError("upload_failed", message)
        return str(upload["id"])

    def download(self, url: str) -> bytes:
        """Return the file at a signed URL."""
        answer = self._send(lambda: self._files.get(url))
        if answer.is_error:
            raise ProblemError(_problem(answer))
        return answer.content

    def _send(self, send: Callable[[], "httpx.Response"]) -> "httpx.Response":
        import httpx

        try:
            return send()
        except httpx.HTTPError as error:
            reason = str(error) or type(error).__name__
            message = (
                f"{self.base_url} does not answer ({reason}): start the service, or check --url"
            )
            raise UnreachableError("service_unreachable", message) from None


def _body_bytes(body: Mapping[str, object]) -> bytes:
    return json.dumps(body, ensure_ascii=False, allow_nan=False).encode("utf-8", "surrogatepass")


def _problem(answer: "httpx.Response") -> Answer:
    try:
        problem = answer.json()
    except ValueError:
        problem = None
    if isinstance(problem, dict) and "code" in problem:
        return problem
    detail = f"{answer.request.url.host} answered with status {answer.status_code}, not as Platen"
    return {
        "code": "internal_error",
        "status": answer.status_code,
        "detail": f"{detail}: check --url",
    }


def _json_object(answer: "httpx.Response") -> Answer:
    try:
        value = answer.json()
    except ValueError:
        value = None
    if isinstance(value, dict):
        return value
    raise ProblemError(_problem(answer))
