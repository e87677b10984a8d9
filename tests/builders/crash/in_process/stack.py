"""Stack of one process, whose time passes as fast as its functions work."""

import datetime as dt
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import httpx

from chalicelib.bootstrap.operator import OperatorServices
from chalicelib.core.clock import epoch_ms, format_rfc3339, parse_rfc3339
from chalicelib.core.crash_points import CrashPoint
from chalicelib.features.workspaces.keys.model import SCOPES
from chalicelib.settings import ApiSettings
from tests.builders.crash.in_process.gateway import GatewayTransport
from tests.builders.crash.in_process.service import MortalService
from tests.builders.in_process_aws import REGION, MotoAws
from tests.builders.stack.api_client import ApiClient
from tests.builders.stack.stores import Stores
from tests.builders.stack.tenants import Tenant
from tests.fakes.mortal_functions import mortal_functions
from tests.fakes.queue_time import next_message_ms, queue_time

# What is due later, such as the end of a retention, is not waited for.
_HORIZON: Final = dt.timedelta(hours=2)
# A case that needs more steps never ends.
_MAX_STEPS: Final = 60
# The queues that have dead letters of their own.
_DEAD: Final = (
    "Renders",
    "Events",
    "Maintenance",
    "Batches",
    "Combine",
    "Webhooks",
    "Emails",
    "Uploads",
)
_MOMENT: Final = dt.timedelta(milliseconds=1)


class ServiceStack:
    """Service in this process; its queues, its schedule and its clock move when a test waits."""

    base_url = "https://api.test/v1"

    def __init__(self, service: MortalService, points: Path) -> None:
        """Run a service whose functions die at the points armed in a folder."""
        self.service = service
        self.points = points
        self.stores = Stores(service.clients, service.resources)
        self.transport = GatewayTransport(service)
        self._consumers = _consumers(service)

    def allow(self, addresses: str, **settings: str) -> None:
        """Let egress reach addresses of this machine, before the first request to the service."""
        given = vars(self.service.settings) | {"egress_allow": addresses} | settings
        self.service.settings = ApiSettings(**given)

    @property
    def operator(self) -> OperatorServices:
        return self.service.operator

    def now(self) -> dt.datetime:
        return self.service.clock.now()

    def create_tenant(self, name: str, plan: str) -> Tenant:
        workspace = self.operator.create_workspace(name, plan=plan, regions=["eu"]).id
        key = self.operator.manage_keys.create(workspace, mode="live", scopes=SCOPES)
        return Tenant(workspace, ApiClient(self, key.text, self.transport), self.stores)

    def arm(self, point: CrashPoint, hits: str = "1", request_id: str = "") -> Path:
        del request_id  # All requests are of one case.
        file = self.points / f"{point:d}"
        file.write_text(hits, encoding="utf-8")
        return file

    def open_files(self) -> httpx.Client:
        return httpx.Client(base_url=self.service.settings.files_host, transport=self.transport)

    def download(self, url: str) -> bytes:
        with self.open_files() as files:
            answer = files.get(url)
        assert answer.is_redirect, answer.text
        # The signed address is one of moto, which only boto3 reaches.
        path = urlsplit(answer.headers["Location"]).path.removeprefix("/")
        return self.stores.content(path.removeprefix(f"{self.service.settings.bucket}/"))

    def age_renders(self, workspace: str) -> None:
        del workspace  # All are of one.
        self.service.clock.advance(minutes=1)

    def pause(self) -> None:
        """Let functions serve the messages that can be received now, and those that follow."""
        while waiting := [queue for queue in self._consumers if self._has_message(queue)]:
            for queue in waiting:
                self._consumers[queue]()

    def until(self, unmet: Callable[[], object], *, ticks: bool = True) -> None:
        self._work(ticks=ticks)
        for _ in range(_MAX_STEPS):
            if not (found := unmet()):
                return
            moment = self._next_moment(ticks=ticks)
            assert moment is not None, found
            self.service.clock.moment = max(self.now(), moment) + _MOMENT
            self._work(ticks=ticks)
        raise AssertionError(unmet())

    def _work(self, *, ticks: bool) -> None:
        self.pause()
        while ticks and any(moment <= self.now() for moment in self._due()):
            if not self.service.tick():
                return
            self.pause()

    def _has_message(self, queue: str) -> bool:
        moment = next_message_ms(self.service.queue_url(queue), REGION)
        return moment is not None and moment < epoch_ms(self.now())

    def _next_moment(self, *, ticks: bool) -> dt.datetime | None:
        """Return when the next message comes or, with the tick, the next item is due."""
        urls = map(self.service.queue_url, self._consumers)
        ms = [next_message_ms(url, REGION) for url in urls]
        moments = [dt.datetime.fromtimestamp(each / 1000, dt.UTC) for each in ms if each]
        moments += self._due() if ticks else []
        return min(moments, default=None)

    def _due(self) -> Iterator[dt.datetime]:
        until = format_rfc3339(self.now() + _HORIZON)
        for row in self.stores.scan(self.stores.main_table, naming="due_at"):
            if row["due_at"] < until:
                yield parse_rfc3339(row["due_at"])


def _consumers(service: MortalService) -> dict[str, Callable[[], object]]:
    """Return the consumers of each queue's messages."""
    return {
        "Maintenance": service.run_maintenance,
        "Renders": service.run_queued,
        "RendersLow": lambda: service.run_queued("RendersLow"),
        "Batches": service.release_batches,
        "BatchItems": lambda: service.run_queued("BatchItems"),
        "Combine": service.combine_batches,
        "Events": service.relay_events,
        "Webhooks": service.deliver_webhooks,
        "WebhooksSlow": service.deliver_webhooks,
        "Emails": service.send_emails,
        "Uploads": service.upload_files,
        **{f"{queue}DeadLetters": _record_dead_letters(service, queue) for queue in _DEAD},
    }


def _record_dead_letters(service: MortalService, queue: str) -> Callable[[], object]:
    return lambda: service.record_dead_letters(queue)


@contextmanager
def service_stack(aws: MotoAws, points: Path) -> Iterator[ServiceStack]:
    """Run a service of its own during the block; `points` is a folder for its crash points."""
    service = MortalService(aws)
    with ExitStack() as running:
        service.functions = running.enter_context(mortal_functions(service, points))
        running.enter_context(queue_time(lambda: epoch_ms(service.clock.now())))
        yield ServiceStack(service, points)
    aws.give_back(service.resources)
