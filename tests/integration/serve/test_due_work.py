"""Work of all kinds goes on after everything was killed: each piece ends, and once."""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

import pytest

from infra.local.running_stack import RunningStack
from infra.serve.running_server import RunningServer, running_server
from tests.builders.pages.certificates import certificates
from tests.builders.stack.api_client import HTML, ApiClient
from tests.builders.stack.stores import StackStores
from tests.builders.storage.recording_store import RecordingStore, recording_store
from tests.fakes.submission_server import (
    EGRESS_ALLOW,
    HOST,
    PORT,
    SubmissionServer,
    submission_server,
)
from tests.fakes.webhook_receiver import WebhookReceiver, webhook_receiver

pytestmark = [
    pytest.mark.integration,
    # aiosmtpd warns about its own defaults.
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning"),
]

# What had been claimed is free after some minutes; only a test that fails waits this long.
PATIENCE_S: Final = 1_500.0
_CALLERS: Final = 8


@dataclass(frozen=True)
class Outside:
    """Servers of others that the work leads to."""

    receiver: WebhookReceiver
    mail: SubmissionServer
    store: RecordingStore


@pytest.fixture
def outside(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Outside]:
    authority = certificates(tmp_path_factory.mktemp("authority"), [HOST])
    with (
        webhook_receiver() as receiver,
        submission_server(authority.server) as mail,
        recording_store() as store,
    ):
        allowed = f"127.0.0.1/32:{receiver.port},{EGRESS_ALLOW},{store.egress_allow}"
        monkeypatch.setenv("PLATEN_EGRESS_ALLOW", allowed)
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.ca_file))
        yield Outside(receiver, mail, store)


@pytest.fixture
def server(
    outside: Outside,  # noqa: ARG001 -- for its variables
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[RunningServer]:
    with running_server(tmp_path_factory.mktemp("serve") / "data") as server:
        yield server


class Work:
    """Pieces of work of each kind, of one workspace."""

    def __init__(self, outside: Outside, pieces: int) -> None:
        self.outside = outside
        self.pieces = pieces
        self.renders: list[str] = []
        self.batch = ""

    def prepare(self, client: ApiClient) -> None:
        """Make what the work needs: an endpoint, a destination, a template with a rule."""
        endpoint = {"url": self.outside.receiver.url, "events": ["render.succeeded"]}
        _post(client, "/webhook-endpoints", endpoint)
        destination = {"name": "Archive", **self.outside.store.destination}
        destination["path_template"] = "{{ render_id }}.pdf"
        self._destination = _post(client, "/storage-destinations", destination)["id"]
        template = {"name": "T", "html": "<p>{{ n }}", "publish": True}
        self._template = _post(client, "/templates", template)["id"]
        connection = {
            "name": "Mail",
            "provider": "smtp",
            "config": {"host": HOST, "port": PORT, "username": "mailer"},
            "credentials": {"password": "p"},
            "default_from": {"email": "billing@example.com"},
        }
        rule = {
            "name": "To the customer",
            "connection_id": _post(client, "/email-connections", connection)["id"],
            "to": "n{{ n }}@example.com",
            "subject": "Invoice {{ n }}",
            "html": "<p>{{ n }}",
        }
        _post(client, f"/templates/{self._template}/email-rules", rule)

    def accept(self, client: ApiClient) -> None:
        """Have all of it accepted."""
        page = {"type": "html", "html": HTML}
        template = {"type": "template", "template_id": self._template}
        storage = {"storage": [{"destination_id": self._destination}]}
        bodies: list[dict[str, Any]] = []
        for n in range(self.pieces):
            bodies += [
                {"input": page, "priority": "low"},
                {"input": page, "delivery": storage},
                {"input": template, "data": {"n": n}},
            ]
        items = [{"data": {"n": f"b{n}"}} for n in range(self.pieces)]
        batch = {"template_id": self._template, "items": items, "combine": {"zip": True}}
        batch["delivery"] = {"email": False}
        self.batch = _post(client, "/batches", batch)["id"]
        with ThreadPoolExecutor(_CALLERS) as callers:
            made = callers.map(
                lambda body: _post(client, "/renders", body | {"mode": "async"}), bodies
            )
            self.renders = [each["id"] for each in made]

    def unfinished(self, client: ApiClient, stores: StackStores, workspace: str) -> dict[str, Any]:
        """Return what has not ended, by kind; nothing once all has."""
        shown = [self.row(stores, workspace, each) for each in self.renders]
        sends = self.sends(client)
        left = Counter(row["status"] for row in shown if row["status"] != "succeeded")
        receipts = [] if left else self._receipts(client)
        open_ = {
            "renders": left,
            "batch": {client.http.get(f"/batches/{self.batch}").json()["status"]} - {"completed"},
            "emails": Counter(s["status"] for s in sends if s["status"] not in {"sent", "unknown"}),
            "no emails yet": self.pieces - len(sends),
            "uploads": Counter(each for each in receipts if each != "succeeded"),
            "webhooks": len({*self.renders} - {*self.webhooks()}),
        }
        return {kind: what for kind, what in open_.items() if what}

    def webhooks(self) -> Counter[str]:
        """Return how often the event of each render has arrived."""
        events = [json.loads(each.body) for each in self.outside.receiver.received]
        return Counter(event["data"]["object"]["id"] for event in events)

    def _receipts(self, client: ApiClient) -> list[str]:
        uploaded = [client.get(each) for each in self.renders[1::3]]
        return [receipt["status"] for render in uploaded for receipt in render["storage"]]

    def row(self, stores: StackStores, workspace: str, render: str) -> Any:
        rows = stores.partition(f"WS#{workspace}#RND#{render}")
        return next(row for row in rows if row["SK"] == "META")

    def sends(self, client: ApiClient) -> list[dict[str, Any]]:
        """Return the sends of all emails."""
        return _all_rows(client, "/email-sends")

    def batch_renders(self, client: ApiClient) -> list[str]:
        """Return the ids of the renders of the batch."""
        return [each["id"] for each in _all_rows(client, "/renders", batch_id=self.batch)]


def _all_rows(client: ApiClient, path: str, **parameters: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    while True:
        page = client.http.get(path, params={"limit": 100, **parameters}).json()
        rows += page["data"]
        if not page.get("has_more"):
            return rows
        parameters["cursor"] = page["next_cursor"]


def _post(client: ApiClient, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = client.http.post(path, json=body)
    assert answer.status_code < 300, answer.text
    made: dict[str, Any] = answer.json()
    return made


def until(look: Callable[[], Any]) -> None:
    end = time.monotonic() + PATIENCE_S
    while left := look():
        assert time.monotonic() < end, left
        time.sleep(1)


@pytest.mark.parametrize(
    "pieces", [pytest.param(4, id="4"), pytest.param(125, id="125", marks=pytest.mark.breadth)]
)
def test_each_piece_of_work_ends_once(server: RunningServer, outside: Outside, pieces: int) -> None:
    work = Work(outside, pieces)
    server.start()
    tenant = server.create_tenant("Acme")
    with ApiClient(tenant, tenant.live_key) as client:
        work.prepare(client)
        work.accept(client)
        _wait_for_ends(tenant, work, pieces)

    tenant = server.restart_after_kill(tenant)
    # Once more, when some of it goes on again.
    _wait_for_ends(tenant, work, 2 * pieces)
    tenant = server.restart_after_kill(tenant)

    stores = StackStores(tenant)
    with ApiClient(tenant, tenant.live_key) as client:
        until(lambda: work.unfinished(client, stores, tenant.workspace))
        check_once(work, client, stores, tenant.workspace)


def _wait_for_ends(tenant: RunningStack, work: Work, count: int) -> None:
    stores = StackStores(tenant)

    def missing() -> int:
        rows = [work.row(stores, tenant.workspace, each) for each in work.renders]
        ended = sum(bool(row["status"] == "succeeded") for row in rows)
        return max(0, count - ended)

    until(missing)


def check_once(work: Work, client: ApiClient, stores: StackStores, workspace: str) -> None:
    """Check that nothing was billed, told or sent twice."""
    batch_renders = work.batch_renders(client)
    assert len(batch_renders) == work.pieces
    until(lambda: _open_holds(stores, workspace))
    assert int(stores.limits(workspace)["used"]) == 4 * work.pieces
    for render in [*work.renders, *batch_renders]:
        rows = stores.partition(f"WS#{workspace}#RND#{render}")
        ends = [row["type"] for row in rows if str(row.get("type")).startswith("render.")]
        assert ends == ["render.succeeded"]
    mails = Counter(address for to, _ in work.outside.mail.mails for address in to)
    assert set(mails) <= {f"n{n}@example.com" for n in range(work.pieces)}
    assert set(mails.values()) == {1}
    unknown = [each for each in work.sends(client) if each["status"] == "unknown"]
    assert len(mails) >= work.pieces - len(unknown)
    assert len(work.outside.store.files) == work.pieces
    assert all(file.startswith(b"%PDF") for file in work.outside.store.files.values())


def _open_holds(stores: StackStores, workspace: str) -> int:
    item = stores.limits_with_rows(workspace)
    counts: list[int] = [len(item[name]) for name in ("holds", "leases")]
    return sum(counts)
