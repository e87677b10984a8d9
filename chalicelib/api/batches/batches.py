"""`/v1/batches`: create, list, read, cancel and retry batches, and list their items."""

from typing import TYPE_CHECKING, Final

from chalice.app import Blueprint

from chalicelib.adapters.json_logs import bind
from chalicelib.api.batches._batch_command import batch_command
from chalicelib.api.edge import paging
from chalicelib.api.edge.auth import KeyAuth
from chalicelib.api.edge.endpoint import Call, Creation, Reply, endpoint
from chalicelib.core.json import Json
from chalicelib.features.batches.model import Batch, ItemCounts
from chalicelib.features.renders.read import Viewer

if TYPE_CHECKING:
    from chalicelib.contract.batches.request import BatchItemQuery, BatchQuery

blueprint: Final = Blueprint(__name__)

_BATCH = "chalicelib.contract.batches.batch:Batch"
_FILTERS: Final = ("status", "template_id", "reference", "test")


@blueprint.route("/v1/batches", methods=["POST"])
@endpoint(
    auth=KeyAuth("render:write"),
    body="chalicelib.contract.batches.request:BatchRequest",
    tag="Batches",
    answers={202: _BATCH},
    problems=(
        "plan_feature_unavailable",
        "test_key_required",
        "template_not_allowed_for_key",
        "email_not_verified",
        "region_not_enabled",
        "template_not_found",
        "template_deleted",
        "version_not_found",
        "upload_not_found",
        "conflict",
        "url_not_allowed",
        "region_degraded",
        "maintenance",
    ),
    idempotent=True,
    counts_rate_itself=True,
)
def create_batch(call: Call) -> Reply:
    """Render a template for each of up to 100 000 items.

    The items come in the request, or are the rows of an uploaded CSV. At most `bulk_concurrency` of
    the workspace's items are queued or running at a time, over all its batches. A batch counts as
    one request of the rate; each live item that succeeds is billed. Without renders left the batch
    is paused, and goes on by itself. What is wrong with one item fails that item only: a batch with
    failed items is `completed`.
    """
    accepted = call.services.batches.accept(batch_command(call, call.body), call.record_rate)
    batch = accepted.batch
    bind(batch=batch.id)
    headers = {"Location": f"{call.services.settings.base_url}/batches/{batch.id}"}
    if accepted.is_repeat:
        headers["Idempotent-Replayed"] = "true"
    else:
        call.services.batches.wake(batch.workspace_id)
    return Reply(202, call.services.batches.present.as_accepted(batch), headers=headers)


@blueprint.route("/v1/batches", methods=["GET"])
@endpoint(
    auth=KeyAuth("renders:read"),
    query="chalicelib.contract.batches.request:BatchQuery",
    tag="Batches",
    answers={200: "chalicelib.contract.batches.batch:BatchList"},
)
def list_batches(call: Call) -> Reply:
    """List batches, newest first.

    A page may hold fewer than `limit` batches while `has_more` is true. Test keys see test batches
    only, and a key with a template allowlist batches of its templates only.
    """
    query: BatchQuery = call.query
    position = paging.start_position(call)
    equal = {name: getattr(query, name) for name in _FILTERS if getattr(query, name) is not None}
    page = call.services.batches.read.page(
        _viewer(call), equal, limit=query.limit, after=position["after"] if position else None
    )
    shown = [_batch_json(call, batch, counts) for batch, counts in page.batches]
    fitting = paging.fitting_prefix(shown)
    after = page.next_after if len(fitting) == len(shown) else fitting[-1]["id"]
    return Reply(200, paging.list_envelope(call, fitting, {"after": after} if after else None))


@blueprint.route("/v1/batches/{id}", methods=["GET"])
@endpoint(
    auth=KeyAuth("renders:read"),
    tag="Batches",
    answers={200: _BATCH},
    problems=("not_found",),
)
def retrieve_batch(call: Call) -> Reply:
    """Retrieve a batch, with fresh URLs of its combined files."""
    return _reply(call, 200, _requested_batch(call))


@blueprint.route("/v1/batches/{id}/items", methods=["GET"])
@endpoint(
    auth=KeyAuth("renders:read"),
    query="chalicelib.contract.batches.request:BatchItemQuery",
    tag="Batches",
    answers={200: "chalicelib.contract.batches.batch:BatchItemList"},
    problems=("not_found",),
)
def list_batch_items(call: Call) -> Reply:
    """List the items of a batch by their index.

    An item has a `render_id` once it is released; `GET /v1/renders/{id}` then has its files. With a
    rare `status` a page may hold fewer than `limit` items while `has_more` is true.
    """
    query: BatchItemQuery = call.query
    position = paging.start_position(call)
    page = call.services.batches.read.items(
        _requested_batch(call),
        query.status,
        limit=query.limit,
        start=position["index"] if position else 0,
    )
    fitting = paging.fitting_prefix(page.items)
    is_whole = len(fitting) == len(page.items)
    next_index = page.next_index if is_whole else page.items[len(fitting)]["index"]
    next_position = None if next_index is None else {"index": next_index}
    return Reply(200, paging.list_envelope(call, fitting, next_position))


@blueprint.route("/v1/batches/{id}/cancel", methods=["POST"])
@endpoint(
    auth=KeyAuth("render:write"),
    tag="Batches",
    answers={200: _BATCH},
    problems=("not_found", "conflict"),
)
def cancel_batch(call: Call) -> Reply:
    """Cancel a batch.

    Pending and queued items become `canceled`; those that are being rendered finish, and the batch
    is `canceled` as soon as they have. This request waits up to five seconds for that, and answers
    the batch as it then stands. A final batch is a `conflict`.
    """
    return _reply(call, 200, call.services.batches.cancel(_requested_batch(call)))


@blueprint.route("/v1/batches/{id}/retry-failed", methods=["POST"])
@endpoint(
    auth=KeyAuth("render:write"),
    tag="Batches",
    answers={202: _BATCH},
    problems=("not_found", "conflict", "zero_retention", "item_files_expired"),
)
def retry_failed_batch_items(call: Call) -> Reply:
    """Render the failed items of a batch again.

    The batch goes back to `processing`; each failed item gets a new render. Combined files are
    deleted and made again. A batch that is not final, is canceled or has no failed items is a
    `conflict`; so is one whose data are no longer kept (30 days, of test batches 24 hours).
    """
    return _reply(call, 202, call.services.batches.retry_failed(_requested_batch(call)))


@blueprint.route("/v1/batches/{id}/resend-emails", methods=["POST"])
@endpoint(
    auth=KeyAuth("render:write"),
    body="chalicelib.contract.batches.request:BatchResendEmailsRequest",
    creates=Creation(),
    tag="Batches",
    answers={200: "chalicelib.contract.batches.batch:BatchResendEmailsResult"},
    problems=("not_found",),
)
def resend_batch_emails(call: Call) -> Reply:
    """Send the failed emails of a batch again, the newest of each render and rule.

    It repeats as many as it can in 20 s: send the request again until `resent` is 0. `skipped` has
    the first 100 that cannot be repeated.
    """
    batch = _requested_batch(call)
    result = call.services.emails.resend_batch(
        _viewer(call), batch.id, call.body.statuses, call.request_id
    )
    skipped = [{"code": code, "send_id": send_id} for send_id, code in result.skipped]
    return Reply(200, {"resent": result.resent, "skipped": skipped})


def _requested_batch(call: Call) -> Batch:
    """Return the batch of the path; raises `not_found`."""
    batch = call.services.batches.read.one(_viewer(call), call.params["id"])
    bind(batch=batch.id)
    return batch


def _viewer(call: Call) -> Viewer:
    return Viewer(call.caller.workspace_id, call.caller.mode, call.caller.templates)


def _reply(call: Call, status: int, batch: Batch) -> Reply:
    counts: ItemCounts = call.services.batches.read.counts(batch)
    return Reply(status, _batch_json(call, batch, counts))


def _batch_json(call: Call, batch: Batch, counts: ItemCounts) -> dict[str, Json]:
    emails = call.services.emails.counts.of_batch(batch.workspace_id, batch.id)
    shown: dict[str, Json] = call.services.batches.present(batch, counts, emails)
    return shown
