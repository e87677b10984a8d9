"""Sends of emails that wait, written straight into the table and the bucket of a running stack."""

import datetime as dt
import hashlib
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import replace
from typing import Final

import msgspec

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.table import Row, Table, Write
from chalicelib.core.clock import SystemClock, format_rfc3339
from chalicelib.core.ids import WorkspaceId
from chalicelib.core.json import JsonObject
from chalicelib.core.mailbox import Mailbox
from chalicelib.engine.delivery.emails import EmailContents, EmailRule, RenderedEmail, contents_key
from chalicelib.features.emails.connections.repository import connections_partition
from chalicelib.features.emails.sends.message import SendEmailMessage
from chalicelib.features.emails.sends.model import COUNT_NAMES, EmailSend
from chalicelib.features.emails.sends.repository import Sends
from chalicelib.features.emails.sends.subscribe import first_send_id
from infra.bench.emails.mail_server import Arrival
from infra.bench.final_renders import FinalRenders, bench_clients, send_together
from infra.bench.parts import Parts

_RULE_ID: Final = "emr_01J8Z6Y3K4M5N6P7Q8R9S0T1V2"
_TEMPLATE_ID: Final = "tpl_01J8Z6Y3K4M5N6P7Q8R9S0T1V2"
_EMAIL: Final = RenderedEmail(
    is_wanted=True,
    to=(Mailbox("ada@example.com", "Ada"),),
    subject="Your invoice",
    html="<p>Hello Ada, this is your invoice.</p>",
    text="Hello Ada, this is your invoice.",
)
_TIMEOUT_S: Final = 240.0


class BenchSends:
    """Writer of sends of one connection, each of a render of its own."""

    def __init__(self, parts: Parts, *, max_per_second: int, file_bytes: int) -> None:
        """Make a connection to the mail server; each email has a file of `file_bytes`."""
        stack = parts.stack
        clients = bench_clients(stack)
        self._stack = stack
        self._server = parts.mail_server
        self._table = Table(clients, stack.resources["MainTable"]["Ref"])
        self._objects = Objects(clients, stack.resources["FilesBucket"]["Ref"])
        self._renders = FinalRenders(stack, clients)
        self._content = os.urandom(file_bytes)
        self._workspace_id = WorkspaceId(stack.workspace)
        fields = {
            "name": "Bench",
            "provider": "smtp",
            "default_from": {"email": "billing@example.com", "name": "Billing"},
            "config": {**self._server.config, "max_per_second": max_per_second},
            "credentials": {"password": "bench"},
        }
        made = parts.client().post("/v1/email-connections", fields)
        self._connection_id = str(made["id"])
        pk = connections_partition(self._workspace_id)
        rule: Row = {"PK": pk, "SK": _RULE_ID, "enabled": True}
        self._table.write(Write(self._table, item=rule))

    def messages_due_now(self, number: int) -> Sequence[JsonObject]:
        """Write sends that are due, and return their messages without sending them."""
        return list(map(_message, self._write(number, SystemClock().now())))

    def deliver(self, number: int, delay_s: int) -> Sequence[Arrival]:
        """Let the stack send emails whose messages become visible together after the delay."""
        visible_at = SystemClock().now() + dt.timedelta(seconds=delay_s)
        # A queue delays by whole seconds.
        sends = self._write(number, visible_at - dt.timedelta(seconds=1))
        queue_url = self._stack.resources["EmailsQueue"]["Ref"]
        messages = list(map(_message, sends))
        send_together(self._stack.client("sqs"), queue_url, messages, visible_at)
        ids = [f"<{send.id.lower()}@example.com>" for send in sends]
        return self._server.wait_for(ids, delay_s + _TIMEOUT_S)

    def _write(self, number: int, due_at: dt.datetime) -> list[EmailSend]:
        """Write sends that are due at this time, without their messages."""
        with ThreadPoolExecutor(8) as threads:
            return list(threads.map(self._write_one, [due_at] * number))

    def _write_one(self, due_at: dt.datetime) -> EmailSend:
        render = self._renders.copy(template_id=_TEMPLATE_ID, template_version=1)
        (file,) = render.files
        sha256 = hashlib.sha256(self._content)
        file = file._replace(bytes=len(self._content), sha256=sha256.hexdigest())
        render = replace(render, files=(file,))
        self._objects.put(
            file.key, self._content, content_type=file.content_type, sha256=sha256.digest()
        )
        rule = EmailRule(id=_RULE_ID, connection_id=self._connection_id, attachments="attach")
        self._objects.put_data(
            contents_key(self._workspace_id, render.id),
            msgspec.json.encode(EmailContents((rule,), (_EMAIL,))),
        )
        at = format_rfc3339(due_at)
        send = EmailSend(
            id=first_send_id(render, _RULE_ID),
            workspace_id=self._workspace_id,
            render_id=render.id,
            number=0,
            template_id=_TEMPLATE_ID,
            rule_id=_RULE_ID,
            connection_id=self._connection_id,
            provider="smtp",
            status="pending",
            mode="live",
            test=False,
            created_at=render.created_at,
            request_id=render.request_id,
            history_days=render.history_days,
            to=_EMAIL.to,
            subject=_EMAIL.subject,
            next_attempt_at=at,
        )
        counts: dict[str, int] = {name: int(name == "pending") for name in COUNT_NAMES}
        counted = replace(render, email_count=1, email_counts=counts)
        creation = Sends(table=self._table).creation(send)
        self._table.transact([self._renders.creation(counted), creation])
        return send


def _message(send: EmailSend) -> JsonObject:
    """Return the message of a send, as the relay sends it."""
    return SendEmailMessage(
        send.workspace_id, send.id, connection_id=send.connection_id, request_id=send.request_id
    ).to_json()
