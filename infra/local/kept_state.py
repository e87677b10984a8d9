"""Keys and secrets of MiniStack that outlive it; run by MiniStack's Python.

By itself MiniStack writes its state when it is stopped, and goes on with none where a file cannot
be read. Here a change is on the disk before it is answered, and such a file ends the start.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from infra.local.durable_file import write_durably

type Message = dict[str, Any]
type App = Callable[..., Awaitable[None]]
type Send = Callable[[Message], Awaitable[None]]


class KeptState:
    """State of services in files of a folder, by the name of the service."""

    def __init__(
        self, folder: Path, services: Mapping[str, ModuleType], persistence: ModuleType
    ) -> None:
        """Keep these modules of MiniStack, in the form of its module `persistence`."""
        self._folder = folder
        self._services = services
        self._persistence = persistence
        self._written: dict[str, bytes] = {}

    def load(self) -> None:
        """Load what is there; exits where a file cannot be read."""
        vars(self._persistence).update(PERSIST_STATE=True, STATE_DIR=str(self._folder))
        for name, service in self._services.items():
            if not self._file(name).exists():
                continue
            state = self._persistence.load_state(name)
            if state is None:
                message = f"{self._file(name)} cannot be read: restore it from a backup"
                raise SystemExit(message)
            service.load_persisted_state(state)
            self._written[name] = self._text(name)

    def save(self) -> None:
        """Write what has changed."""
        for name in self._services:
            text = self._text(name)
            if text != self._written.get(name):
                write_durably(self._file(name), text)
                self._written[name] = text

    def _file(self, name: str) -> Path:
        return self._folder / f"{name}.json"

    def _text(self, name: str) -> bytes:
        version = self._persistence._state_format_version(name)  # noqa: SLF001 -- no public way
        state = {"__ministack_format__": version, "payload": self._services[name].get_state()}
        return json.dumps(state, default=self._persistence._json_default).encode()  # noqa: SLF001


def saving(app: App, state: KeptState, services: tuple[str, ...]) -> App:
    """Return an application that saves the state before it answers a call of these services.

    A call has the name of its service before the dot of `X-Amz-Target`.
    """
    prefixes = tuple(f"{name}.".encode() for name in services)

    async def answer(scope: Message, receive: Callable[[], Awaitable[Message]], send: Send) -> None:
        async def send_saved(message: Message) -> None:
            if message["type"] == "http.response.start":
                state.save()
            await send(message)

        targets = [value for name, value in scope.get("headers", ()) if name == b"x-amz-target"]
        changes = any(target.startswith(prefixes) for target in targets)
        await app(scope, receive, send_saved if changes else send)

    return answer
