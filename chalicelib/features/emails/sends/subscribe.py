"""Subscriber that makes a send of each email of a render that has succeeded."""

import logging
from collections.abc import Mapping, Sequence
from copy import replace
from typing import Final, cast, override

import msgspec

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.queues import QueueMessage
from chalicelib.adapters.aws.table import Write
from chalicelib.core.clock import parse_rfc3339
from chalicelib.core.ids import ConnectionId, SendId, derived_id
from chalicelib.engine.delivery.emails import (
    MAX_RECIPIENTS,
    EmailContents,
    EmailRule,
    RenderedEmail,
    contents_key,
)
from chalicelib.features.emails.connections.model import EmailConnection
from chalicelib.features.emails.sends.events import send_event
from chalicelib.features.emails.sends.message import SendEmailMessage
from chalicelib.features.emails.sends.model import EmailSend, SendError, SendMode
from chalicelib.features.emails.sends.stores import EmailStores
from chalicelib.features.events.model import (
    EventDelivery,
    OutgoingMessage,
    PublishEvent,
    Subscriber,
)
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.rows import render_of

log = logging.getLogger(__name__)

_MAX_MESSAGE_CHARACTERS: Final = 1_000
_GONE: Final = SendError("email_disabled", "The email connection of the rule is deleted.")


class QueueEmails(
    Subscriber[Sequence[EmailSend]], msgspec.Struct, frozen=True, kw_only=True, eq=False
):
    """Writes the sends in the transaction of the relay, and sends their messages to the queue."""

    types = frozenset({"render.succeeded"})

    stores: EmailStores
    objects: Objects

    @override
    def prepare(self, deliveries: Sequence[EventDelivery]) -> Mapping[str, Sequence[EmailSend]]:
        """Read the emails of renders that have some, and the connections that send them."""
        with_emails = [each for each in deliveries if each.subject_row.get("email_count")]
        if not with_emails:
            return {}
        workspace_id = with_emails[0].event.workspace_id
        connections = {each.id: each for each in self.stores.connections.all(workspace_id)}
        return {each.event.id: self._sends_of(each, connections) for each in with_emails}

    @override
    def writes(
        self, deliveries: Sequence[EventDelivery], plans: Mapping[str, Sequence[EmailSend]]
    ) -> Sequence[Write]:
        """Return the writes of the sends, of their counts, and of the events of failed ones."""
        planned = [plans.get(each.event.id) for each in deliveries]
        renders = [sends for sends in planned if sends]
        new = [send for sends in renders for send in sends]
        events = [send_event(send, parse_rfc3339(send.created_at)) for send in new]
        return [
            *(self.stores.sends.creation(send) for send in new),
            *self.stores.counts.creations(renders),
            *(self.stores.outbox.creation(event) for event in events if event is not None),
        ]

    @override
    def follow_up(
        self, deliveries: Sequence[EventDelivery], plans: Mapping[str, Sequence[EmailSend]]
    ) -> Sequence[OutgoingMessage]:
        """Return the messages of new sends and events; after a crash they are due items."""
        messages = []
        for each in deliveries:
            for send in plans.get(each.event.id, ()):
                group = send.workspace_id
                if send.is_open:
                    body = SendEmailMessage(
                        send.workspace_id,
                        send.id,
                        connection_id=send.connection_id,
                        request_id=send.request_id,
                    ).to_json()
                    messages.append(OutgoingMessage("emails", QueueMessage(body, group)))
                event = send_event(send, parse_rfc3339(send.created_at))
                if event is not None:
                    body = PublishEvent.of_event(event, settled=True).to_json()
                    messages.append(OutgoingMessage("events", QueueMessage(body, group)))
        return messages

    def _sends_of(
        self, each: EventDelivery, connections: Mapping[ConnectionId, EmailConnection]
    ) -> list[EmailSend]:
        render = render_of(each.subject_row)
        stored = self.objects.get(contents_key(render.workspace_id, render.id))
        if stored is None:
            # The files were purged already, and what the emails say goes with them.
            log.warning("the emails of a render are gone", extra={"render": render.id})
            return []
        contents = msgspec.json.decode(stored, type=EmailContents)
        return [
            _new_send(
                render,
                number,
                (rule, rendered),
                connections.get(ConnectionId(rule.connection_id)),
                each.event.created_at,
            )
            for number, (rule, rendered) in enumerate(
                zip(contents.rules, contents.rendered, strict=True)
            )
        ]


def first_send_id(render: Render, rule_id: str) -> SendId:
    """Return the id of the first send of a rule of a render."""
    created = parse_rfc3339(render.created_at)
    return SendId(derived_id("ems", created, render.id, rule_id))


def _new_send(
    render: Render,
    number: int,
    email: tuple[EmailRule, RenderedEmail],
    connection: EmailConnection | None,
    created_at: str,
) -> EmailSend:
    rule, rendered = email
    assert render.template_id is not None
    send = EmailSend(
        id=first_send_id(render, rule.id),
        workspace_id=render.workspace_id,
        render_id=render.id,
        number=number,
        template_id=render.template_id,
        rule_id=rule.id,
        connection_id=rule.connection_id,
        provider=None if connection is None else connection.provider,
        batch_id=render.batch_id,
        status="pending",
        mode=_mode(render, rule, connection),
        test=render.test,
        created_at=created_at,
        request_id=render.request_id,
        history_days=render.history_days,
        deletes_files=not render.hosted,
        # With more the email has a fault, and a row holds 400 KB.
        to=rendered.to[:MAX_RECIPIENTS],
        cc_count=len(rendered.cc),
        bcc_count=len(rendered.bcc),
        subject=rendered.subject or None,
        next_attempt_at=created_at,
    )
    return _first_state(send, rendered, connection)


def _first_state(
    send: EmailSend, rendered: RenderedEmail, connection: EmailConnection | None
) -> EmailSend:
    """Return a new send as it ends at once, or as it waits to be sent."""
    if not rendered.is_wanted:
        return replace(send, status="skipped", skip_reason="condition_false", next_attempt_at=None)
    if connection is None:
        return send.with_failure(_GONE)
    if send.mode == "skip":
        return replace(send, status="skipped", skip_reason="test_mode", next_attempt_at=None)
    if rendered.fault is not None:
        fault = msgspec.structs.asdict(rendered.fault)
        fault["message"] = rendered.fault.message[:_MAX_MESSAGE_CHARACTERS]
        return send.with_failure(SendError(**fault))
    return send


def _mode(render: Render, rule: EmailRule, connection: EmailConnection | None) -> SendMode:
    """Return how an email is sent: a false condition and a fault come before it."""
    if not render.test:
        return "live"
    if rule.redirect_to is not None:
        return "redirect"
    return "skip" if connection is None else cast("SendMode", connection.test_mode)
