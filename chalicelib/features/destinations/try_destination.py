"""Test of a storage destination, in the function that uploads: it alone may open credentials."""

import hashlib
import io
from collections.abc import Callable, Iterator
from typing import Final
from urllib.parse import urlsplit

import msgspec

from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.ids import IdGenerator
from chalicelib.core.json import JsonObject
from chalicelib.core.storage import MAX_PATH_BYTES, storage_path
from chalicelib.features.destinations.model import StorageDestination, literal_part
from chalicelib.features.destinations.outgoing import OutgoingFile, StoreSession, UploadFailedError
from chalicelib.features.destinations.repository import Destinations
from chalicelib.features.destinations.request_trial import DestinationTrial
from chalicelib.features.destinations.sessions import StoreSessions

# Of each of the three steps. The gateway answers within 29 s; the rest is for two functions.
TIMEOUT_S: Final = 5.0
_TEXT: Final = b"Test of a storage destination. This file can be deleted.\n"
# Where people manage their stores, by their own log-in.
_CONSOLES: Final = (
    "console.aws.amazon.com",
    "portal.azure.com",
    "console.cloud.google.com",
    "dash.cloudflare.com",
    "cloud.digitalocean.com",
    "console.scaleway.com",
    "console.wasabisys.com",
)

type Check = tuple[str, Callable[[], object]]


class RunDestinationTrial(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Use case: go through the steps until one fails, and record the result."""

    destinations: Destinations
    sessions: StoreSessions
    clock: Clock
    ids: IdGenerator

    def __call__(self, trial: DestinationTrial) -> list[JsonObject]:
        """Return the steps of a test, as the API shows them; raises `not_found`.

        Nothing is connected to without credentials.
        """
        destination = self.destinations.one(trial.workspace_id, trial.destination_id)
        shown: list[JsonObject] = []
        error: JsonObject | None = None
        name = "connect"
        try:
            with self.sessions.open(destination, TIMEOUT_S) as session:
                for name, go in self._steps(session, destination):
                    go()
                    shown.append({"name": name, "ok": True, "detail": None})
        except UploadFailedError as failure:
            mistake = likely_mistake(destination.config)
            detail = f"{failure} {mistake}" if mistake else str(failure)
            shown.append({"name": name, "ok": False, "detail": detail})
            error = {**upload_error(failure), "message": detail}
        at = format_rfc3339(self.clock.now())
        self.destinations.record_trial(destination, at, error and {"at": at, **error})
        return shown

    def _steps(self, session: StoreSession, destination: StorageDestination) -> Iterator[Check]:
        """Yield the steps of a test, each with its name."""
        yield "connect", session.connect
        ulid = self.ids.new("test", self.clock.now()).rpartition("_")[2]
        folder = literal_part(destination.path_template).rpartition("/")[0]
        path = storage_path(f"{folder}/.platen-test-{ulid}")
        yield "write", lambda: session.put(_file(_require_path(path)))
        yield "delete", lambda: session.delete(_require_path(path))


def upload_error(failure: UploadFailedError) -> JsonObject:
    """Return a failure as the API shows it."""
    return {"code": failure.code, "message": str(failure), "status": failure.status}


def likely_mistake(config: JsonObject) -> str | None:
    """Return the likely mistake in an endpoint, or None if it shows none."""
    endpoint = config.get("endpoint")
    if not endpoint:
        return None
    parts = urlsplit(str(endpoint))
    host = parts.hostname or ""
    if any(host == console or host.endswith(f".{console}") for console in _CONSOLES):
        return "The endpoint is the address of a console, for people: enter that of the API."
    bucket = str(config.get("bucket") or config.get("container") or "")
    if bucket and (host.startswith(f"{bucket}.") or bucket in parts.path.split("/")):
        name = "bucket" if "bucket" in config else "container"
        return (
            f"The endpoint seems to contain the {name}, which is added to it: leave it out there."
        )
    return None


def _require_path(path: str | None) -> str:
    if path is None:
        message = f"The path is too long: it has {MAX_PATH_BYTES} bytes at most."
        raise UploadFailedError("storage_key_invalid", message, is_final=True)
    return path


def _file(path: str) -> OutgoingFile:
    return OutgoingFile(
        path=path,
        bytes=len(_TEXT),
        sha256=hashlib.sha256(_TEXT).hexdigest(),
        content_type="text/plain",
        open=lambda: io.BytesIO(_TEXT),
    )
