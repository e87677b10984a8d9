"""Registry of work: one row for each function behind a queue or a schedule (decision 27).

Functions, tick, dead letters, the operator tool, settings and the checks of the template read it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from chalicelib.adapters.aws.due_items import DueItem, DueKind
from chalicelib.core.json import JsonObject
from chalicelib.features.batches.rows import DUE_BATCH, DUE_RELEASE
from chalicelib.features.dead_letters.resolutions import PostponeDueItem, ResolveQueuedRender
from chalicelib.features.destinations.model import CREDENTIALS_FIELD as STORAGE_CREDENTIALS_FIELD
from chalicelib.features.destinations.uploads.give_up import GiveUpUploads
from chalicelib.features.destinations.uploads.message import UploadFilesMessage
from chalicelib.features.destinations.uploads.repository import DUE_UPLOADS
from chalicelib.features.emails.connections.model import CREDENTIALS_FIELD
from chalicelib.features.emails.connections.repository import DUE_CREDENTIALS
from chalicelib.features.emails.registrations.repository import DUE_REGISTRATION
from chalicelib.features.emails.sends.give_up import GiveUpEmail
from chalicelib.features.emails.sends.message import SendEmailMessage
from chalicelib.features.emails.sends.repository import DUE_EMAIL
from chalicelib.features.emails.sends.stores import EmailStores
from chalicelib.features.events.model import PublishEvent
from chalicelib.features.events.repository import DUE_EVENT
from chalicelib.features.files.repository import DUE_FILE
from chalicelib.features.maintenance.repository import DueIndex
from chalicelib.features.renders.rows import DUE_RENDER
from chalicelib.features.signed_links.repository import DUE_LINK
from chalicelib.features.templates.repository import DUE_TEMPLATE
from chalicelib.features.webhooks.deliveries.give_up import GiveUpDelivery
from chalicelib.features.webhooks.deliveries.message import DeliverWebhook
from chalicelib.features.webhooks.deliveries.repository import DUE_DELIVERY, Deliveries
from chalicelib.features.webhooks.endpoints.repository import DUE_NOTICE
from chalicelib.features.webhooks.endpoints.secrets import SECRET_FIELDS
from chalicelib.features.workspaces.keys.repository import DUE_KEY
from chalicelib.features.workspaces.limits.model import DUE_LIMITS
from chalicelib.features.workspaces.repository import DUE_WORKSPACE
from chalicelib.settings import RenderSettings
from chalicelib.settings.table import SETTINGS, Setting, setting

if TYPE_CHECKING:
    from chalicelib.bootstrap.work_function import WorkParts
    from chalicelib.features.dead_letters.record import ResolveMessage

type Grant = tuple[str, str]

# Lambda itself receives messages, with the role of the function.
_POLL: Final = "sqs:ReceiveMessage DeleteMessage GetQueueAttributes"
# The function itself shortens the visibility timeout of a failed message.
_POLL_AND_POSTPONE: Final = f"{_POLL} ChangeMessageVisibility"


# Where the relay puts deliveries, and the events of their next steps: renders, batches, templates,
# and the row of the workspace itself.
_SUBJECTS_AND_DELIVERIES: Final = (
    "WS#*#WHD#*",
    "WS#*#RND#*",
    "WS#*#BAT#*",
    "WS#*#TPL#*",
    "WS#*#EMS#*",
    "WS#ws_" + "?" * 26,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One function: its queues or schedule, its rights, settings and layers.

    `name` is its folder in `functions/`, and its name in logs and metrics. `queues` feed it; they
    share the dead-letter queue of the first, whose messages `resolve` resolves. It sends to the
    queues `sends`. Items of the kinds `due` go to its queue `due_queue`, by default the first, as
    `due_message` makes them.
    `settings`, `grants` (actions and a resource, with the partition key that limits them) and
    `layers` are what it needs beside its queues. `package` is its archive (decision 8).
    """

    name: str
    queues: tuple[str, ...] = ()
    sends: tuple[str, ...] = ()
    due: tuple[DueKind, ...] = ()
    due_queue: str = ""
    due_message: Callable[[DueItem], JsonObject] = DueItem.to_json
    resolve: "Callable[[WorkParts], ResolveMessage] | None" = None
    settings: tuple[str, ...] = ()
    grants: tuple[Grant, ...] = ()
    layers: tuple[str, ...] = ()
    package: str = "small"

    @property
    def function(self) -> str:
        """Return the logical id of the function in `infra/functions.yaml`."""
        return f"{_pascal_case(self.name)}Function"

    @property
    def queue_of_due_items(self) -> str:
        """Return the queue to which the tick sends due items."""
        return self.due_queue or self.queues[0]

    @property
    def all_settings(self) -> tuple[str, ...]:
        """Return the names of all settings, those of its queues included."""
        urls = [f"{queue}_queue_url" for queue in (*self.queues, *self.sends)]
        dead = [f"{queue}_dead_letters_url" for queue in self.queues[:1]]
        return tuple(dict.fromkeys((*self.settings, *urls, *dead, "stack", "crash_points")))

    @property
    def all_grants(self) -> tuple[Grant, ...]:
        """Return all grants, those of its queues included."""
        return (
            *self.grants,
            *((_POLL_AND_POSTPONE, queue_resource(queue)) for queue in self.queues),
            *(("sqs:SendMessage", dead_letters_resource(queue)) for queue in self.queues[:1]),
            *(("sqs:SendMessage", queue_resource(queue)) for queue in self.sends),
        )


def _pascal_case(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def queue_resource(queue: str) -> str:
    """Return the logical id of a queue in `infra/resources.yaml`."""
    return f"{_pascal_case(queue)}Queue"


def dead_letters_resource(queue: str) -> str:
    """Return the logical id of the dead-letter queue of a queue."""
    return f"{_pascal_case(queue)}DeadLetters"


def _resolve_render(parts: "WorkParts") -> "ResolveMessage":
    return ResolveQueuedRender(renders=parts.state.renders, end=parts.end_render, clock=parts.clock)


def _postpone_event(parts: "WorkParts") -> "ResolveMessage":
    return _postpone(parts, _event_item)


def _event_item(message: JsonObject) -> DueItem:
    event = PublishEvent.from_json(message)
    return DueItem(DUE_EVENT.name, event.subject, event.sort_key)


def _postpone_due_item(parts: "WorkParts") -> "ResolveMessage":
    return _postpone(parts, DueItem.from_json)


def _postpone(parts: "WorkParts", read_item: Callable[[JsonObject], DueItem]) -> "ResolveMessage":
    index = DueIndex(table=parts.state.main_table)
    return PostponeDueItem(index=index, read_item=read_item, clock=parts.clock)


def _give_up_delivery(parts: "WorkParts") -> "ResolveMessage":
    deliveries = Deliveries(table=parts.state.main_table)
    return GiveUpDelivery(deliveries=deliveries, clock=parts.clock)


def _email_message(item: DueItem) -> JsonObject:
    is_email = item.kind == DUE_EMAIL.name
    return SendEmailMessage.of_due_item(item).to_json() if is_email else item.to_json()


def _give_up_email(parts: "WorkParts") -> "ResolveMessage":
    state = parts.state
    give_up = GiveUpEmail(
        stores=EmailStores.over(state.main_table, state.outbox),
        publish=parts.settle_and_publish.publish,
        clock=parts.clock,
    )
    postpone = _postpone_due_item(parts)
    return lambda message: (postpone if "kind" in message else give_up)(message)


def _give_up_uploads(parts: "WorkParts") -> "ResolveMessage":
    state = parts.state
    return GiveUpUploads(
        table=state.main_table,
        outbox=state.outbox,
        publish=parts.settle_and_publish.publish,
        clock=parts.clock,
    )


# Functions behind a queue.
_CONSUMERS: Final = (
    Work(
        name="render",
        queues=("renders", "renders_low", "batch_items"),
        sends=("events",),
        resolve=_resolve_render,
        settings=tuple(RenderSettings.__annotations__),
        grants=(
            ("dynamodb:GetItem PutItem UpdateItem", "MainTable WS#*#RND#*"),
            ("dynamodb:UpdateItem", "MainTable WS#*#LIM"),
            ("dynamodb:PutItem", "MainTable FILE#*"),
            ("s3:PutObject DeleteObject", "${FilesBucket.Arn}/ws/*"),
            ("s3:GetObject", "${FilesBucket.Arn}/tmp/*"),
            ("s3:GetObject", "${FilesBucket.Arn}/ws/*/batches/*"),
            ("s3:PutObject DeleteObject", "${FilesBucket.Arn}/tmp/ws/*/engine/*"),
            ("s3:PutObject DeleteObject", "${FilesBucket.Arn}/tmp/validate/*"),
            ("s3:GetObject", "${FilesBucket.Arn}/ws/*/files/*"),
            ("lambda:InvokeFunction", "EngineFunction"),
            ("lambda:InvokeFunction", "PdfToolsFunction"),
            ("lambda:InvokeFunction", "ValidateFunction"),
        ),
    ),
    Work(
        name="relay",
        queues=("events",),
        sends=(
            "maintenance",
            "webhooks",
            "webhooks_slow",
            "events",
            "batches",
            "emails",
            "uploads",
        ),
        due=(DUE_EVENT,),
        due_message=lambda item: PublishEvent.of_due_item(item).to_json(),
        resolve=_postpone_event,
        settings=("main_table", "bucket", "region", "signing_secret", "files_host"),
        grants=(
            ("dynamodb:GetItem", "MainTable WS#*"),
            *(("dynamodb:PutItem", f"MainTable {key}") for key in _SUBJECTS_AND_DELIVERIES),
            ("dynamodb:Query", "MainTable WS#*#WHE"),
            ("dynamodb:Query", "MainTable WS#*#EM*"),
            ("s3:GetObject", "${FilesBucket.Arn}/ws/*/emails/*"),
            ("s3:PutObject", "${FilesBucket.Arn}/log/*"),
            ("secretsmanager:GetSecretValue", "SigningSecret"),
            ("dynamodb:BatchGetItem UpdateItem", "MainTable"),
            ("dynamodb:Query", "MainTable WS#*#LIM"),
            ("s3:DeleteObject", "${FilesBucket.Arn}/ws/*"),
            ("s3:DeleteObject", "${FilesBucket.Arn}/tmp/*"),
        ),
    ),
    Work(
        name="maintenance",
        queues=("maintenance",),
        sends=("renders", "renders_low", "batch_items", "events", "maintenance"),
        due=(
            DUE_BATCH,
            DUE_RENDER,
            DUE_FILE,
            DUE_LIMITS,
            DUE_TEMPLATE,
            DUE_KEY,
            DUE_CREDENTIALS,
            DUE_NOTICE,
            DUE_LINK,
            DUE_WORKSPACE,
        ),
        resolve=_postpone_due_item,
        settings=("main_table", "bucket", "smtp_url", "smtp_secret"),
        grants=(
            ("dynamodb:GetItem BatchGetItem PutItem UpdateItem DeleteItem", "MainTable"),
            ("dynamodb:Query", "MainTable WS#*"),
            ("dynamodb:Query", "MainTable LNK#*"),
            ("secretsmanager:GetSecretValue", "MailSecret"),
            ("dynamodb:Query", "${MainTable.Arn}/index/lists"),
            ("s3:DeleteObject", "${FilesBucket.Arn}/ws/*"),
            ("s3:DeleteObject", "${FilesBucket.Arn}/tmp/*"),
            ("s3:DeleteObject", "${FilesBucket.Arn}/log/*"),
        ),
    ),
    Work(
        name="release_batch",
        queues=("batches",),
        sends=("batch_items", "combine", "events", "batches"),
        due=(DUE_RELEASE,),
        resolve=_postpone_due_item,
        settings=("main_table", "bucket"),
        grants=(
            ("dynamodb:GetItem BatchGetItem", "MainTable WS#*"),
            ("dynamodb:PutItem", "MainTable WS#*#BAT#*"),
            ("dynamodb:PutItem", "MainTable WS#*#RND#*"),
            ("dynamodb:UpdateItem", "MainTable WS#*#BAT*"),
            ("dynamodb:UpdateItem", "MainTable WS#*#RND#*"),
            ("dynamodb:UpdateItem", "MainTable WS#*#LIM"),
            ("dynamodb:DeleteItem", "MainTable WS#*#BAT"),
            ("dynamodb:Query", "MainTable WS#*#BAT*"),
            ("dynamodb:Query", "MainTable WS#*#LIM"),
            ("s3:GetObject PutObject DeleteObject", "${FilesBucket.Arn}/ws/*/batches/*"),
        ),
    ),
    Work(
        name="combine_batch",
        queues=("combine",),
        sends=("combine", "events"),
        resolve=_postpone_due_item,
        settings=("main_table", "bucket", "engine_function", "tenancy"),
        grants=(
            ("dynamodb:GetItem BatchGetItem", "MainTable WS#*"),
            ("dynamodb:PutItem", "MainTable WS#*#BAT#*"),
            ("dynamodb:PutItem UpdateItem", "MainTable WS#*#RND#*"),
            ("dynamodb:PutItem UpdateItem", "MainTable FILE#*"),
            ("dynamodb:UpdateItem", "MainTable WS#*#BAT#*"),
            ("dynamodb:DeleteItem", "MainTable WS#*#BAT*"),
            ("dynamodb:Query", "MainTable WS#*#BAT#*"),
            ("s3:GetObject DeleteObject", "${FilesBucket.Arn}/ws/*/files/*"),
            ("s3:DeleteObject", "${FilesBucket.Arn}/ws/*/emails/*"),
            ("s3:GetObject PutObject DeleteObject", "${FilesBucket.Arn}/tmp/ws/*/engine/*"),
            ("s3:PutObject DeleteObject", "${FilesBucket.Arn}/ws/*/batches/*"),
            ("s3:AbortMultipartUpload", "${FilesBucket.Arn}/ws/*/batches/*"),
            ("s3:ListMultipartUploadParts", "${FilesBucket.Arn}/ws/*/batches/*"),
            ("s3:ListBucketMultipartUploads", "FilesBucket"),
            ("lambda:InvokeFunction", "EngineFunction"),
        ),
    ),
    Work(
        name="deliver_webhook",
        queues=("webhooks", "webhooks_slow"),
        sends=("webhooks_slow",),
        due=(DUE_DELIVERY,),
        # What is due has failed before, or its message was lost.
        due_queue="webhooks_slow",
        due_message=lambda item: DeliverWebhook.of_due_item(item).to_json(),
        resolve=_give_up_delivery,
        settings=(
            "main_table",
            "bucket",
            "data_key",
            "base_url",
            "files_host",
            "gateway_url",
            "egress_allow",
        ),
        grants=(
            (
                "dynamodb:GetItem BatchGetItem PutItem UpdateItem DeleteItem Query",
                "MainTable WS#*#WH*",
            ),
            ("s3:GetObject DeleteObject", "${FilesBucket.Arn}/log/*"),
            *(("kms:Decrypt", f"DataKey {field}") for field in SECRET_FIELDS),
        ),
    ),
    Work(
        name="send_email",
        queues=("emails",),
        sends=("emails", "events"),
        due=(DUE_EMAIL, DUE_REGISTRATION),
        due_message=_email_message,
        resolve=_give_up_email,
        settings=(
            "main_table",
            "bucket",
            "data_key",
            "signing_secret",
            "base_url",
            "files_host",
            "gateway_url",
            "egress_allow",
            "email_base_brevo",
            "email_base_postmark",
            "email_base_resend",
            "email_base_ses",
            "email_base_microsoft365",
        ),
        grants=(
            ("dynamodb:GetItem BatchGetItem", "MainTable WS#*"),
            ("dynamodb:PutItem UpdateItem", "MainTable WS#*#EM*"),
            ("dynamodb:UpdateItem", "MainTable WS#*#RND#*"),
            ("s3:GetObject", "${FilesBucket.Arn}/ws/*/emails/*"),
            ("s3:GetObject", "${FilesBucket.Arn}/ws/*/files/*"),
            ("secretsmanager:GetSecretValue", "SigningSecret"),
            ("kms:Decrypt", f"DataKey {CREDENTIALS_FIELD}"),
        ),
    ),
    Work(
        name="upload_files",
        queues=("uploads",),
        sends=("uploads", "events"),
        due=(DUE_UPLOADS,),
        due_message=lambda item: UploadFilesMessage.of_due_item(item).to_json(),
        resolve=_give_up_uploads,
        settings=(
            "main_table",
            "bucket",
            "data_key",
            "base_url",
            "files_host",
            "gateway_url",
            "egress_allow",
            "storage_base_gcs",
        ),
        grants=(
            ("dynamodb:BatchGetItem", "MainTable WS#*"),
            ("dynamodb:PutItem", "MainTable WS#*#DST"),
            ("dynamodb:PutItem UpdateItem", "MainTable WS#*#RND#*"),
            ("s3:GetObject", "${FilesBucket.Arn}/ws/*/files/*"),
            ("kms:Decrypt", f"DataKey {STORAGE_CREDENTIALS_FIELD}"),
        ),
    ),
)

# Functions that serve the rows above.
_TICK: Final = Work(
    name="tick",
    sends=tuple(row.queue_of_due_items for row in _CONSUMERS if row.due),
    settings=("main_table",),
    grants=(
        ("dynamodb:Query", "${MainTable.Arn}/index/due"),
        ("dynamodb:UpdateItem", "MainTable"),
    ),
)
_DEAD_LETTERS: Final = Work(
    name="dead_letters",
    sends=("events",),
    settings=(
        "main_table",
        "transient_table",
        *(f"{row.queues[0]}_dead_letters_url" for row in _CONSUMERS),
    ),
    grants=(
        ("dynamodb:GetItem PutItem UpdateItem", "MainTable"),
        ("dynamodb:PutItem", "TransientTable"),
        *((_POLL, dead_letters_resource(row.queues[0])) for row in _CONSUMERS),
    ),
)

WORK: Final[Mapping[str, Work]] = {row.name: row for row in (*_CONSUMERS, _TICK, _DEAD_LETTERS)}
# Queues with a dead-letter queue of their own: the queues of `platen dlq`.
DEAD_LETTER_QUEUES: Final = tuple(row.queues[0] for row in _CONSUMERS)


def all_settings() -> list[Setting]:
    """Return every setting of the service, those of its queues included."""
    queues = [
        setting(name) for row in WORK.values() for name in row.all_settings if name not in SETTINGS
    ]
    return [*SETTINGS.values(), *dict.fromkeys(queues)]
