"""Emails in any order of events: deaths, lost answers, late and repeated requests, and time."""

import datetime as dt
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast, override

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from chalicelib.adapters.aws import table
from chalicelib.core.crash_points import CrashPoint as P
from chalicelib.core.ids import SendId
from chalicelib.features.emails.sends.message import SendEmailMessage
from tests.builders.email_connections import use_plan
from tests.builders.email_sends import (
    EMAIL,
    SENDS_PATH,
    connect,
    email_counts,
    event_types,
    render_with_emails,
    send_emails,
    sends,
    switch_rule,
)
from tests.builders.in_process_aws import MotoAws
from tests.builders.service import Service
from tests.fakes.email_provider import NO_ANSWER, REJECTED, UNAVAILABLE, FakeProvider
from tests.fakes.fault_injector import FaultInjector
from tests.fakes.mortal_functions import mortal_functions
from tests.fakes.unreliable_dynamodb import UnreliableDynamodb

MAX_RENDERS = 4
# Fewer deaths than end an email.
MAX_KILLS = 4
MOMENT = dt.timedelta(milliseconds=1)
PAUSES = st.sampled_from(
    [
        dt.timedelta(seconds=1),
        dt.timedelta(seconds=61),
        dt.timedelta(minutes=3),
        dt.timedelta(hours=1),
        dt.timedelta(hours=13),
    ]
)
ANSWERS = st.lists(st.sampled_from([UNAVAILABLE, REJECTED, NO_ANSWER]), max_size=2)
DEATHS = st.sampled_from(
    [
        P.EMAIL_BEGUN,
        P.EMAIL_SLOT_TAKEN,
        P.EMAIL_CLAIMED,
        P.EMAIL_PREPARED,
        P.EMAIL_MARKED,
        P.EMAIL_HANDED_OVER,
        P.EMAIL_RECORDED,
        P.EMAIL_EVENT_SENT,
        P.EMAIL_DELAYED,
    ]
)
RELAY_DEATHS = st.sampled_from([P.RELAY_PREPARED, P.RELAY_PUBLISHED])
RESEND_DEATHS = st.sampled_from([P.EMAIL_RESENT, P.EMAIL_RESEND_SENT])
# By final status: how often a provider may have got the email, and the type of its one event.
ENDS = {
    "sent": ({1}, ["email.sent"]),
    "failed": ({0}, ["email.send_failed"]),
    "unknown": ({0, 1}, ["email.send_failed"]),
}


class EmailRules(RuleBasedStateMachine):
    """One workspace whose functions die, and whose tables lose answers and repeat requests."""

    def __init__(self, aws: MotoAws, points: Path) -> None:
        super().__init__()
        self.service = Service(aws)
        use_plan(self.service, "growth")
        self.connection = connect(self.service)
        self.provider = FakeProvider()
        self.dynamodb = UnreliableDynamodb(self.service.clients.dynamodb, FaultInjector(0, {}))
        self._dying = mortal_functions(self.service, points)
        self.functions = self._dying.__enter__()
        self.service.clients.dynamodb = cast("Any", self.dynamodb)
        self.renders: list[dict[str, Any]] = []
        self.ends: dict[str, str] = {}
        self.kills = 0

    @initialize(seed=st.integers(0, 2**16))
    def begin(self, seed: int) -> None:
        self.dynamodb.faults = FaultInjector(seed, {"conflict": 0.2, "lost": 0.2})
        self.dynamodb.faults.is_on = True
        self.render(None, 1)

    @precondition(lambda self: len(self.renders) < MAX_RENDERS)
    @rule(dies_at=st.none() | RELAY_DEATHS, count=st.integers(1, 2))
    def render(self, dies_at: P | None, count: int) -> None:
        self.service.clock.moment += MOMENT
        self.renders.append(render_with_emails(self.service, self.connection, [EMAIL] * count))
        self.run(self.service.relay_events, dies_at)

    @rule()
    def relay(self) -> None:
        self.run(self.service.relay_events, None)

    @rule()
    def send(self) -> None:
        self.run(self.send_all, None)

    @precondition(lambda self: self.kills < MAX_KILLS)
    @rule(dies_at=DEATHS)
    def send_and_die(self, dies_at: P) -> None:
        self.run(self.send_all, dies_at)

    @rule(time=PAUSES)
    def pass_time(self, time: dt.timedelta) -> None:
        self.service.clock.moment += time
        self.service.tick()
        self.run(self.send_all, None)

    @rule(before=ANSWERS, after=ANSWERS)
    def change_provider(self, before: list[Any], after: list[Any]) -> None:
        self.provider.before = [each for each in before if each is UNAVAILABLE]
        self.provider.answers = [*after]

    @rule(data=st.data(), dies_at=st.none() | RESEND_DEATHS)
    def resend(self, data: st.DataObject, dies_at: P | None) -> None:
        old = self.draw_send(data)
        if old is None:
            return
        may_resend = old["status"] in ENDS and not self.is_resent(old)

        def call() -> None:
            answer = self.service.call("POST", f"{SENDS_PATH}/{old['id']}/resend", json_body={})
            assert answer.status == (202 if may_resend else 409), answer.body

        self.service.clock.advance(seconds=1)
        self.run(call, dies_at)

    @rule(data=st.data(), has_slot=st.booleans())
    def repeat_message(self, data: st.DataObject, *, has_slot: bool) -> None:
        send = self.draw_send(data)
        if send is not None:
            message = SendEmailMessage(
                self.service.workspace, SendId(send["id"]), has_slot=has_slot
            )
            self.service.send("Emails", json.dumps(message.to_json()))

    @rule(enabled=st.booleans())
    def switch_rule(self, *, enabled: bool) -> None:
        switch_rule(self.service, enabled=enabled)

    @rule()
    def deliver_late_requests(self) -> None:
        self.dynamodb.deliver_late()

    @invariant()
    def no_email_is_sent_twice(self) -> None:
        arrived = Counter(email.send_id for email in self.provider.accepted)
        for send in self.sends():
            known = self.ends.get(send["id"])
            assert known in {None, send["status"]}, send
            if send["status"] in ENDS:
                self.ends[send["id"]] = send["status"]
                times, events = ENDS[send["status"]]
                assert arrived[send["id"]] in times, send
                assert event_types(self.service, send) == events, send
            else:
                assert arrived[send["id"]] <= 1, send
                assert event_types(self.service, send) == [], send

    @invariant()
    def counts_equal_a_recount(self) -> None:
        repeated = {send["resend_of"] for send in self.sends()}
        newest = [send for send in self.sends() if send["id"] not in repeated]
        for render in self.renders:
            own = [send["status"] for send in newest if send["render_id"] == render["id"]]
            counted = Counter(status if status in ENDS else "pending" for status in own)
            if own:
                assert email_counts(self.service, render) == counted

    @override
    def teardown(self) -> None:
        try:
            self.finish()
        finally:
            self.dynamodb.faults.is_on = False
            self._dying.__exit__(None, None, None)

    def finish(self) -> None:
        """Let time pass until every email has ended; the provider is well again."""
        self.change_provider([], [])
        for _ in range(8):
            self.run(self.service.relay_events, None)
            self.pass_time(dt.timedelta(hours=4))
        self.dynamodb.deliver_late()
        self.no_email_is_sent_twice()
        self.counts_equal_a_recount()
        assert all(send["status"] in ENDS for send in self.sends())

    def run(self, function: Callable[[], object], dies_at: P | None) -> None:
        """Run a function that may die at a crash point."""
        if dies_at is None:
            assert function() in ([], None)
        else:
            self.kills += self.functions.has_died(function, dies_at)

    def send_all(self) -> list[str]:
        return send_emails(self.service, self.provider)

    def sends(self) -> list[dict[str, Any]]:
        self.service.clock.advance(seconds=1)
        return sends(self.service, limit="100")

    def is_resent(self, send: dict[str, Any]) -> bool:
        return any(each["resend_of"] == send["id"] for each in self.sends())

    def draw_send(self, data: st.DataObject) -> dict[str, Any] | None:
        """Return one of the sends; None without any."""
        by_id = {send["id"]: send for send in self.sends()}
        return by_id[data.draw(st.sampled_from(sorted(by_id)))] if by_id else None


@pytest.mark.parametrize("examples", [2, pytest.param(8, marks=pytest.mark.breadth)])
def test_no_email_is_sent_twice_whatever_happens(
    aws: MotoAws, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, examples: int
) -> None:
    monkeypatch.setattr(table, "_pause", lambda _: None)

    run_state_machine_as_test(
        cast("Any", lambda: EmailRules(aws, tmp_path)),
        settings=settings(max_examples=examples, stateful_step_count=24, deadline=None),
    )
