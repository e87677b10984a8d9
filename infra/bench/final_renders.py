"""Final renders with unpublished events, written straight into the table of a running stack."""

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from copy import replace
from itertools import batched
from typing import Any, Final

from chalicelib.adapters.aws.session import AwsClients
from chalicelib.adapters.aws.table import Table, Write
from chalicelib.core.clock import SystemClock, format_rfc3339
from chalicelib.core.ids import RandomIdGenerator, RenderId, WorkspaceId
from chalicelib.features.events.model import PublishEvent
from chalicelib.features.events.repository import EventOutbox
from chalicelib.features.renders.events import final_event
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.repository import Renders
from infra.bench.client import BenchClient
from infra.local.running_stack import RunningStack

# The largest batch that a queue takes.
_BATCH: Final = 10
_SMALL_RENDER: Final = {"input": {"type": "html", "html": "<p>x</p>"}}


def bench_clients(stack: RunningStack) -> AwsClients:
    """Return clients of the product for the emulators of a stack."""
    clients = AwsClients()
    for name in ("dynamodb", "sqs", "kms", "s3"):
        setattr(clients, name, stack.client(name))
    return clients


class FinalRenders:
    """Writer of final renders: copies of a render, with the event of the end."""

    def __init__(self, stack: RunningStack, clients: AwsClients) -> None:
        """Render once through the API."""
        self._table = table = Table(clients, stack.resources["MainTable"]["Ref"])
        self._renders = Renders(table, SystemClock())
        self._outbox = EventOutbox(table=table)
        with BenchClient(stack) as client:
            response = client.post("/v1/renders", _SMALL_RENDER)
        model = self._renders.get(WorkspaceId(stack.workspace), RenderId(response["id"]))
        assert model is not None
        self._model = model

    def copy(self, **changes: Any) -> Render:
        """Return a copy that ends now, with a new id; its file does not exist."""
        now = SystemClock().now()
        render_id = RenderId(RandomIdGenerator().new("rnd", now))
        at, workspace_id = format_rfc3339(now), self._model.workspace_id
        key = f"ws/{workspace_id}/files/{render_id}/1-0.pdf"
        return replace(
            self._model,
            id=render_id,
            created_at=at,
            completed_at=at,
            files=tuple(replace(file, key=key) for file in self._model.files),
            body_key=None,
            **changes,
        )

    def write(self, render: Render) -> PublishEvent:
        """Write a render with its event, and return the message that publishes it."""
        event = final_event(render, SystemClock().now())
        self._table.transact([self.creation(render), self._outbox.creation(event)])
        return PublishEvent.of_event(event, settled=True)

    def creation(self, render: Render) -> Write:
        """Return the write of a render whose event was published."""
        # A century later: maintenance must not touch these renders.
        far_future = render.created_at.replace("20", "21", 1)
        return self._renders.creation(render, due_at=far_future, claimed_until=far_future)


def send_together(
    sqs: Any, queue_url: str, messages: Sequence[Mapping[str, Any]], visible_at: dt.datetime
) -> None:
    """Send messages that become visible together, within a second; one batch always does."""
    for batch in batched(messages, _BATCH, strict=False):
        delay = visible_at - SystemClock().now()
        entries = [
            {
                "Id": str(n),
                "MessageBody": json.dumps(message),
                "MessageGroupId": "bench",
                "DelaySeconds": max(0, round(delay.total_seconds())),
            }
            for n, message in enumerate(batch)
        ]
        sqs.send_message_batch(QueueUrl=queue_url, Entries=entries)
    is_in_time = len(messages) <= _BATCH or SystemClock().now() < visible_at
    assert is_in_time, "the messages were not sent in time"
