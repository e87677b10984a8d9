"""Forwarding of events: finds the new ones of a workspace, signs each, and posts it once."""

import time
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import batched, islice
from typing import Final, NamedTuple

import msgspec

from chalicelib.adapters.aws.table import Row
from chalicelib.adapters.net.http import HttpClient
from chalicelib.adapters.net.transport import Connector
from chalicelib.core import json
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.ids import EndpointId, WorkspaceId
from chalicelib.engine.ports import EgressError
from chalicelib.features.events.model import DomainEvent, EventType
from chalicelib.features.events.repository import EventOutbox, event_of
from chalicelib.features.forwarding.sources import EventSource
from chalicelib.features.webhooks.endpoints.repository import Endpoints
from chalicelib.features.webhooks.endpoints.secrets import SecretUnusableError, SigningSecrets
from chalicelib.features.webhooks.signature import new_secret, signed_headers
from chalicelib.features.webhooks.subscribe import EventView, event_body
from chalicelib.features.workspaces.model import Mode

# Subjects whose events one poll reads; the next poll goes on.
_MAX_SUBJECTS: Final = 100
# An event is read together with its subject's row, 100 rows at once.
_EVENTS_AT_ONCE: Final = 50
_TIMEOUT_S: Final = 10.0
_MAX_ANSWER_BYTES: Final = 16 * 1024


class WatchedEvent(NamedTuple):
    """Public event with its type and the row of its subject."""

    event: DomainEvent
    type: EventType
    subject_row: Row


class WatchEvents:
    """Watch of the public events of one workspace, each found once; it writes nothing.

    A poll that fails loses no event: the next one finds it.
    """

    def __init__(
        self,
        *,
        sources: Sequence[EventSource],
        outbox: EventOutbox,
        types: Sequence[EventType],
        clock: Clock,
    ) -> None:
        """Look where the sources say."""
        self._sources = sources
        self._outbox = outbox
        self._types = {each.name: each for each in types if each.is_public}
        self._clock = clock
        self._since = ""
        self._changed: dict[str, None] = {}
        self._found: set[str] = set()

    def start(self) -> None:
        """Begin: only events from now on are found."""
        for source in self._sources:
            source.start(self._clock.now())
        self._since = format_rfc3339(self._clock.now())

    def poll(self) -> list[WatchedEvent]:
        """Return the new events, the oldest first."""
        for source in self._sources:
            for subject in source.changed_subjects(self._since, self._clock.now()):
                self._changed[subject] = None
        subjects = list(islice(self._changed, _MAX_SUBJECTS))
        events = [event for subject in subjects for event in self._new_events(subject)]
        watched = list(self._with_rows(events))
        for subject in subjects:
            del self._changed[subject]
        self._found |= {event.id for event in events}
        return sorted(watched, key=lambda each: (each.event.created_at, each.event.id))

    def _new_events(self, subject: str) -> Iterator[DomainEvent]:
        for row in self._outbox.all_of_subject(subject):
            event = event_of(row)
            is_new = event.created_at >= self._since and event.id not in self._found
            if is_new and event.type in self._types:
                yield event

    def _with_rows(self, events: Sequence[DomainEvent]) -> Iterator[WatchedEvent]:
        for some in batched(events, _EVENTS_AT_ONCE, strict=False):
            rows = self._outbox.read([(event.subject, event.sort_key) for event in some])
            for event in some:
                row = rows.get((event.subject, "META"))
                # Without its subject, as in a workspace that is being erased, nothing is shown.
                if row is not None:
                    yield WatchedEvent(event, self._types[event.type], row)


class ForwardSecrets(NamedTuple):
    """Secrets that sign forwarded events.

    They are those of the endpoint `endpoint_id`, else the workspace's own one, unless `is_new`.
    `has_unusable` tells that one of them could not be opened, and a new one stands in.
    """

    texts: Sequence[str]
    endpoint_id: EndpointId | None = None
    is_new: bool = False
    has_unusable: bool = False


class ChooseSecrets(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Choice of the secrets: those that sign the webhooks of requests, else a new one."""

    endpoints: Endpoints
    secrets: SigningSecrets
    clock: Clock

    def __call__(self, workspace_id: WorkspaceId, mode: Mode) -> ForwardSecrets:
        """Return those that sign requests of a mode, else those of live requests, else a new one.

        They are of the default endpoint, else the workspace's own.
        """
        modes: Sequence[Mode] = (mode,) if mode == "live" else (mode, "live")
        try:
            for each in modes:
                endpoint = self.endpoints.default(workspace_id, each)
                if endpoint is not None:
                    texts = self.secrets.of_endpoint(endpoint, self.clock.now())
                    return ForwardSecrets(texts, endpoint.id)
                if (own := self.secrets.request_secret(workspace_id, each)) is not None:
                    return ForwardSecrets([own])
        except SecretUnusableError:
            return ForwardSecrets([new_secret()], is_new=True, has_unusable=True)
        return ForwardSecrets([new_secret()], is_new=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardTarget:
    """Address that events are posted to, and the events that it gets; no `types`: all of them."""

    url: str
    secrets: Sequence[str]
    types: Collection[str] = ()
    test_only: bool = False

    def takes(self, watched: WatchedEvent) -> bool:
        """Tell whether the address gets an event."""
        is_test = watched.subject_row.get("test") is True
        return (not self.types or watched.event.type in self.types) and (
            is_test or not self.test_only
        )


class ForwardedEvent(NamedTuple):
    """Event that was posted; `status_code` is None without an answer, `error` says why."""

    id: str
    type: str
    created_at: str
    status_code: int | None
    latency_ms: int
    error: str | None


class ForwardEvents:
    """Forwarder of new events, as webhooks and without a second attempt."""

    def __init__(
        self,
        *,
        watch: WatchEvents,
        view: EventView,
        connect: Connector,
        region: str,
        clock: Clock,
    ) -> None:
        """Reach the address by `connect`."""
        self._watch = watch
        self._view = view
        self._waiting: deque[WatchedEvent] = deque()
        self._connect = connect
        self._region = region
        self._clock = clock

    def start(self) -> None:
        """Begin: only events from now on are forwarded."""
        self._watch.start()

    def forward_new(self, target: ForwardTarget) -> Iterator[ForwardedEvent]:
        """Post the events that are new since the last call; yield each when it is posted."""
        self._waiting += self._watch.poll()
        while self._waiting:
            watched = self._waiting[0]
            forwarded = None
            if target.takes(watched) and not self._view.is_internal(
                watched.type, watched.subject_row
            ):
                forwarded = self._forward(watched, target)
            # A failure of AWS on the way here leaves it for the next call.
            self._waiting.popleft()
            if forwarded is not None:
                yield forwarded

    def _forward(self, watched: WatchedEvent, target: ForwardTarget) -> ForwardedEvent:
        event = watched.event
        shown = self._view.present(watched.type, event, watched.subject_row)
        body = json.dumps(event_body(event, shown, self._region)).encode()
        timestamp = int(self._clock.now().timestamp())
        begun = time.monotonic()
        status, error = None, None
        try:
            with HttpClient(self._connect) as http:
                answer = http.request(
                    "POST",
                    target.url,
                    headers=signed_headers(target.secrets, event.id, timestamp, body),
                    body=body,
                    max_bytes=_MAX_ANSWER_BYTES,
                    timeout_s=_TIMEOUT_S,
                )
        except EgressError as failure:
            error = str(failure)
        else:
            status = answer.status
        latency_ms = round((time.monotonic() - begun) * 1_000)
        return ForwardedEvent(event.id, event.type, event.created_at, status, latency_ms, error)
