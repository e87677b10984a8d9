"""State of a process that its threads share, met by all of them at once."""

import time
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib import import_module
from threading import Event
from types import SimpleNamespace
from typing import Any, Final, override

import pytest

from chalicelib.adapters.aws.session import AwsClients
from chalicelib.api import meta
from chalicelib.api.edge.openapi import document
from chalicelib.bootstrap.api_state import WallsCheck
from chalicelib.bootstrap.shared_services import SharedServices
from chalicelib.core.tenancy import TenantGuard, TenantIsolationError
from chalicelib.features.emails.providers.exchange import ProviderAnswer
from chalicelib.features.emails.providers.microsoft365 import _GraphSession, _Tokens
from chalicelib.features.events.model import DomainEvent
from chalicelib.features.renders.run.settle import SettleAndPublish
from chalicelib.features.workspaces.keys import repository
from chalicelib.features.workspaces.keys.record_use import RecordKeyUse
from chalicelib.features.workspaces.keys.repository import ApiKeys
from chalicelib.features.workspaces.service_state.repository import STATES, ServiceStates
from tests.builders.threads import all_at_once, at_once
from tests.builders.waiting import PATIENCE_S
from tests.fakes.api_services import NOW, FakeApiServices, FixedClock

ROUNDS: Final = 100
SERVICES: Final = (
    *("api", "api_emails", "api_renders", "api_state", "api_templates"),
    *("shared_services", "work_function"),
)


def test_threads_build_a_service_once() -> None:
    for _ in range(ROUNDS):
        services = SharedServices(AwsClients(), FixedClock(), main_table="main")

        assert len({id(limits) for limits in at_once(lambda: services.limits, threads=16)}) == 1  # noqa: B023


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_is_built_under_a_lock(name: str) -> None:
    module = import_module(f"chalicelib.bootstrap.{name}")
    unlocked = [
        (cls, member)
        for cls in vars(module).values()
        if isinstance(cls, type) and cls.__module__ == module.__name__
        for member, value in vars(cls).items()
        if type(value) is cached_property
    ]

    assert unlocked == []


class SlowKeys:
    """Keys whose use is marked once `may_end` is set."""

    def __init__(self) -> None:
        self.marked: list[str] = []
        self.may_end = Event()

    def mark_used(self, key: Any, _now: object, *, since: object) -> None:
        assert since
        self.marked.append(key.id)
        assert self.may_end.wait(PATIENCE_S)


def test_requests_at_once_mark_each_key_once() -> None:
    slow: Any = SlowKeys()
    record = RecordKeyUse(slow)
    keys: list[Any] = [SimpleNamespace(id=f"key_{n}", last_used_at=None) for n in range(8)]

    waits = all_at_once([lambda key=key: record(key, NOW) for key in keys * 4])  # type: ignore[misc]
    slow.may_end.set()
    for wait in waits:
        wait()
    record(keys[0], NOW)()

    assert sorted(slow.marked) == sorted(["key_0", *(key.id for key in keys)])


def test_a_slow_event_holds_up_no_other() -> None:
    first_is_sent, other_is_sent = Event(), Event()

    def try_send(body: dict[str, Any], *, group: str) -> None:
        assert group == "ws_1"
        (other_is_sent if body["subject"] == "other" else first_is_sent).set()
        assert other_is_sent.wait(PATIENCE_S)

    settle: Any = lambda _renders: False  # noqa: E731
    queue: Any = SimpleNamespace(try_send=try_send)
    settle_and_publish = SettleAndPublish(settle=settle, events_queue=queue)
    event: Any = DomainEvent("evt_1", "render.succeeded", "ws_1", "slow", "req_1", "")  # type: ignore[arg-type]
    render: Any = None

    def first() -> None:
        settle_and_publish(render, event)

    def second() -> None:
        assert first_is_sent.wait(PATIENCE_S)
        settle_and_publish(render, event._replace(subject="other"))

    all_at_once([first, second])

    assert other_is_sent.is_set()


class InterruptedText(str):
    """Text at whose look-up other threads go on."""

    __slots__ = ()

    @override
    def __hash__(self) -> int:
        time.sleep(0)
        return super().__hash__()

    @override
    def __eq__(self, other: object) -> bool:
        return super().__eq__(other)


def test_keys_are_found_while_the_cache_of_their_workspaces_is_cleared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(repository, "_MAX_CACHED_OWNERS", 1)
    stored = FakeApiServices()
    for _ in range(4):
        stored.key()
    items = {f"KEY#{key.id}": repository._key_item(key) for key in stored.keys.values()}
    table: Any = SimpleNamespace(get_many=lambda keys: [items[pk] for pk, _ in keys if pk in items])
    keys = ApiKeys(table)

    def find(key_id: str) -> list[str]:
        found = [keys.find(InterruptedText(key_id)) for _ in range(50)]
        return [key.id for key in found if key is not None]

    found = all_at_once([lambda key_id=key_id: find(key_id) for key_id in list(stored.keys) * 4])  # type: ignore[misc]

    assert [set(ids) for ids in found] == [{key_id} for key_id in list(stored.keys) * 4]


def test_the_first_requests_all_see_the_state_of_the_service() -> None:
    item = {"state": "maintenance", "retry_after_s": 60, "since": "2026-01-01T00:00:00.000Z"}
    table: Any = SimpleNamespace(get=lambda *_: item)
    for _ in range(ROUNDS):
        states = ServiceStates(table, FixedClock())

        found = at_once(lambda: states.get().state, threads=16)  # noqa: B023

        assert set(found) == {"maintenance"}
    assert STATES


def test_only_the_first_tenant_is_admitted() -> None:
    def admit(guard: TenantGuard, tenant: str) -> str | None:
        try:
            guard.admit(tenant)
        except TenantIsolationError:
            return None
        return tenant

    for _ in range(ROUNDS):
        guard = TenantGuard("isolated")
        calls: list[Callable[[], str | None]] = [
            lambda n=n: admit(guard, f"ws_{n}")  # type: ignore[misc]  # noqa: B023
            for n in range(16)
        ]

        assert len([tenant for tenant in all_at_once(calls) if tenant]) == 1


def test_all_health_checks_wait_for_the_answer_about_the_walls() -> None:
    asked: list[object] = []

    def missing_walls(context: object) -> Sequence[str]:
        asked.append(context)
        time.sleep(0.02)
        return ()

    engine: Any = SimpleNamespace(missing_walls=missing_walls)
    check = WallsCheck(engine, FixedClock())

    assert all(at_once(check))
    assert len(asked) == 1


def test_the_description_of_the_api_is_built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[dict[str, str]] = []

    def build(*_: object) -> dict[str, str]:
        built.append({})
        time.sleep(0.02)
        return built[-1]

    monkeypatch.setattr(document, "openapi_document", build)
    call: Any = SimpleNamespace(
        services=SimpleNamespace(api_host="https://api.test"), headers=dict[str, str]()
    )
    meta._openapi_document.cache_clear()
    at_once(lambda: meta.retrieve_openapi(call))
    meta._openapi_document.cache_clear()

    assert len(built) == 1


class Graph:
    """Provider that refuses one token."""

    def __init__(self) -> None:
        self.tokens = 0
        self.refused = ""

    def post(self, request: Any, before_acceptance: Callable[[], None]) -> ProviderAnswer:
        time.sleep(0.001)
        if request.url.endswith("/token"):
            self.tokens += 1
            return ProviderAnswer(
                200, {}, {"access_token": f"token-{self.tokens}", "expires_in": 3599}
            )
        if request.headers["Authorization"] == self.refused:
            return ProviderAnswer(401, {}, {"error": {"code": "InvalidAuthenticationToken"}})
        before_acceptance()
        return ProviderAnswer(202, {}, {})


def test_emails_whose_token_ended_early_are_all_sent() -> None:
    email: Any = SimpleNamespace(
        sender=SimpleNamespace(email="a@example.com", name=None),
        subject="",
        html=None,
        text="",
        reply_to=None,
        **dict.fromkeys(("to", "cc", "bcc", "files"), ()),
    )
    config = {"tenant_id": "t", "client_id": "c", "sender": "a@example.com"}
    connection: Any = SimpleNamespace(id="emc_1", changes=0, config=config)
    for _ in range(5):
        graph: Any = Graph()
        tokens = _Tokens()

        def send(graph: Any = graph, tokens: Any = tokens) -> str:
            session = _GraphSession(graph, "https://graph.test", connection, "secret", tokens)
            result: str = session.send(email, lambda: None).result
            return result

        assert send() == "accepted"
        graph.refused = "Bearer token-1"

        assert set(at_once(send, threads=16)) == {"accepted"}
        bought = graph.tokens
        assert send() == "accepted"
        assert graph.tokens == bought
