"""Handler of the function that sends emails; it alone opens the credentials of connections.

Messages of its queue are emails to send, and connections to register for events of their provider.
A direct call is the test of a connection.
"""

import secrets
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, cast
from urllib.parse import urlsplit

from chalicelib.adapters.aws.due_items import DueItem
from chalicelib.adapters.aws.messages import ReceivedMessage
from chalicelib.adapters.aws.sealing import SecretSealer
from chalicelib.adapters.aws.secrets import Secret
from chalicelib.adapters.aws.signing_keys import SigningKeys
from chalicelib.adapters.json_logs import ids_in_payload, log_context
from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.bootstrap.cold_start import warm_up_on_lambda
from chalicelib.bootstrap.invocation_errors import reported_errors
from chalicelib.bootstrap.work_function import ServeEvent, WorkFunction, WorkParts
from chalicelib.features.emails.connections.request_trial import ConnectionTrial
from chalicelib.features.emails.connections.try_connection import RunConnectionTrial
from chalicelib.features.emails.providers.brevo import brevo_registration, open_brevo
from chalicelib.features.emails.providers.microsoft365 import open_microsoft365
from chalicelib.features.emails.providers.postmark import open_postmark
from chalicelib.features.emails.providers.resend import open_resend
from chalicelib.features.emails.providers.ses import open_ses
from chalicelib.features.emails.providers.smtp import open_smtp
from chalicelib.features.emails.registrations.register import RegisterForEvents
from chalicelib.features.emails.registrations.repository import Registrations
from chalicelib.features.emails.sends.attempt import AttemptEmail
from chalicelib.features.emails.sends.deliver import DeliverEmail
from chalicelib.features.emails.sends.message import SendEmailMessage
from chalicelib.features.emails.sends.prepare import PrepareEmail, SignUrl
from chalicelib.features.emails.sends.rate.repository import SendRate
from chalicelib.features.emails.sends.sessions import EmailSessions
from chalicelib.features.emails.sends.stores import EmailStores
from chalicelib.features.files.signed_urls import SignedFileUrls
from chalicelib.features.workspaces.repository import Workspaces

if TYPE_CHECKING:
    from chalicelib.adapters.aws.messages import QueueEvent
    from chalicelib.core.json import JsonObject
    from chalicelib.features.emails.outgoing import OpenSession

# Imported with their first use (decision 7); processes that serve several at once load them before.
LATE_MODULES: Final = ("chalicelib.adapters.net.http",)
# An email takes 150 s at most, and the function 300 s: what comes later goes back to the queue.
_BEGIN_WITHIN_S: Final = 120.0


def build(parts: WorkParts) -> ServeEvent:
    """Return the function that sends a batch of emails, or tests a connection."""
    egress, settings = _egress(parts), parts.settings
    openers = {
        "smtp": open_smtp(egress.connect, _hello(parts)),
        "brevo": open_brevo(egress, settings.email_base_brevo),
        "postmark": open_postmark(egress, settings.email_base_postmark),
        "resend": open_resend(egress, settings.email_base_resend),
        "ses": open_ses(egress, settings.email_base_ses),
        "microsoft365": open_microsoft365(egress, settings.email_base_microsoft365),
    }
    return build_with(parts, openers)


def build_with(parts: WorkParts, openers: Mapping[str, "OpenSession"]) -> ServeEvent:
    """Return the function over sessions that `openers` open, by provider."""
    sealer = SecretSealer(parts.clients, parts.settings.data_key, parts.clock)
    state = parts.state
    stores = EmailStores.over(state.main_table, state.outbox)
    parts.clients.create("dynamodb", "kms", "s3", "sqs")
    deliver = _deliver_email(parts, stores)
    register = _register_for_events(parts, stores, sealer)
    try_connection = RunConnectionTrial(
        connections=stores.connections,
        sealer=sealer,
        openers=openers,
        clock=parts.clock,
    )

    def serve(event: "QueueEvent") -> Mapping[str, object]:
        call = cast("JsonObject", event)
        if "Records" not in call:
            return test(call)
        began = time.monotonic()
        with EmailSessions(sealer=sealer, openers=openers) as sessions:

            def handle(message: ReceivedMessage) -> None:
                if "kind" in message.body:
                    register(DueItem.from_json(message.body))
                    return
                email_message = SendEmailMessage.from_json(message.body)
                if time.monotonic() - began > _BEGIN_WITHIN_S:
                    deliver.put_back(email_message)
                else:
                    deliver(email_message, sessions, secrets.token_hex(8))

            return parts.consumer.process_batch(event["Records"], handle)

    def test(call: "JsonObject") -> Mapping[str, object]:
        """Return the result of a test; raises InvocationError."""
        with log_context(**ids_in_payload(call)), reported_errors():
            return try_connection(ConnectionTrial.from_json(call))._asdict()

    return serve


def _egress(parts: WorkParts) -> GuardedEgress:
    return GuardedEgress(allow=parts.settings.egress_allow, own_hosts=parts.settings.own_hosts)


def _hello(parts: WorkParts) -> str:
    """Return the name that the service gives itself."""
    return urlsplit(parts.settings.base_url).hostname or "localhost"


def _deliver_email(parts: WorkParts, stores: EmailStores) -> DeliverEmail:
    return DeliverEmail(
        stores=stores,
        rate=SendRate(stores.table),
        attempt=AttemptEmail(
            stores=stores,
            objects=parts.state.objects,
            prepare=PrepareEmail(objects=parts.state.objects, sign_url=_sign_url(parts)),
            clock=parts.clock,
        ),
        queue=parts.queue("emails"),
        events_queue=parts.queue("events"),
        clock=parts.clock,
        on_attempt=lambda status: parts.metrics.count("EmailAttempts", status=status),
    )


def _register_for_events(
    parts: WorkParts, stores: EmailStores, sealer: SecretSealer
) -> RegisterForEvents:
    return RegisterForEvents(
        connections=stores.connections,
        registrations=Registrations(table=stores.table),
        sealer=sealer,
        register=brevo_registration(_egress(parts), parts.settings.email_base_brevo),
        base_url=parts.settings.base_url,
        clock=parts.clock,
    )


def _sign_url(parts: WorkParts) -> SignUrl:
    secret = Secret(parts.clients, parts.settings.signing_secret, parts.clock)
    keys = SigningKeys(secret, parts.clock)
    file_urls = SignedFileUrls(
        files=parts.state.files,
        workspaces=Workspaces(table=parts.state.main_table),
        objects=parts.state.objects,
        clock=parts.clock,
        files_host=parts.settings.files_host,
        signing_keys=lambda: keys.valid_keys,
    )
    return file_urls.signed_url


handler = WorkFunction("send_email", build)
warm = handler.warm
warm_up_on_lambda(warm)
