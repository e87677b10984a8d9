"""`/v1/storage-destinations`: stores that receive the files of renders."""

from typing import Final

from chalice.app import Blueprint

from chalicelib.api._restricted_key import TEMPLATE_NOT_ALLOWED, require_unrestricted_key
from chalicelib.api.edge import paging
from chalicelib.api.edge.auth import KeyAuth
from chalicelib.api.edge.endpoint import Call, Creation, Reply, endpoint
from chalicelib.api.edge.idempotency import shown_again
from chalicelib.core.ids import IdSeed
from chalicelib.features.destinations.model import StorageDestination
from chalicelib.features.destinations.present import destination_json

blueprint: Final = Blueprint(__name__)

_READ: Final = "storage:read"
_WRITE: Final = "storage:write"
_CONTRACT: Final = "chalicelib.contract.storage.destination"
_DESTINATION: Final = f"{_CONTRACT}:StorageDestination"
# Of a request of a restricted key.
_EFFECT: Final = "change or test a storage destination of the whole workspace"
_REFUSALS: Final = (
    TEMPLATE_NOT_ALLOWED,
    "plan_feature_unavailable",
    "url_not_allowed",
    "concurrency_limited",
    "template_syntax_error",
    "template_runtime_error",
    "conflict",
    "region_degraded",
)


def _made_before(call: Call, seed: IdSeed) -> Reply | None:
    return shown_again(call, seed.id("dst"), retrieve_storage_destination)


@blueprint.route("/v1/storage-destinations", methods=["POST"])
@endpoint(
    auth=KeyAuth(_WRITE),
    body=f"{_CONTRACT}:StorageDestinationRequest",
    creates=Creation(_made_before),
    tag="Storage",
    answers={201: _DESTINATION},
    problems=_REFUSALS,
)
def create_storage_destination(call: Call) -> Reply:
    """Make a storage destination.

    Its credentials are sealed and never shown. A workspace has 50 destinations at most; one more is
    a `conflict`.
    """
    require_unrestricted_key(call, _EFFECT)
    fields = call.body.model_dump()
    created = call.services.storage.manage.create(call.caller.workspace, fields)
    url = f"{call.services.settings.base_url}/storage-destinations/{created.id}"
    return Reply(201, destination_json(created), headers={"Location": url})


@blueprint.route("/v1/storage-destinations", methods=["GET"])
@endpoint(
    auth=KeyAuth(_READ),
    query=f"{_CONTRACT}:StorageDestinationQuery",
    tag="Storage",
    answers={200: f"{_CONTRACT}:StorageDestinationList"},
)
def list_storage_destinations(call: Call) -> Reply:
    """List storage destinations, newest first."""
    destinations = call.services.storage.destinations.all(call.caller.workspace_id)
    shown = [destination_json(each) for each in reversed(destinations)]
    return Reply(200, paging.page_of_all(call, shown))


@blueprint.route("/v1/storage-destinations/{id}", methods=["GET"])
@endpoint(auth=KeyAuth(_READ), tag="Storage", answers={200: _DESTINATION}, problems=("not_found",))
def retrieve_storage_destination(call: Call) -> Reply:
    """Retrieve a storage destination."""
    return Reply(200, destination_json(_named_destination(call)))


@blueprint.route("/v1/storage-destinations/{id}", methods=["PATCH"])
@endpoint(
    auth=KeyAuth(_WRITE),
    body=f"{_CONTRACT}:StorageDestinationChange",
    tag="Storage",
    answers={200: _DESTINATION},
    problems=("not_found", *_REFUSALS),
)
def update_storage_destination(call: Call) -> Reply:
    """Change a storage destination; without `credentials` the stored ones stay.

    Who changes where they are sent (`endpoint`, `account`, `host`, `port`, `username`, `host_key`)
    sends them again. A key with a template allowlist changes and tests no destination.
    """
    require_unrestricted_key(call, _EFFECT)
    fields = call.body.model_dump(include=call.body.model_fields_set)
    manage = call.services.storage.manage
    changed = manage.change(call.caller.workspace, call.params["id"], fields)
    return Reply(200, destination_json(changed))


@blueprint.route("/v1/storage-destinations/{id}", methods=["DELETE"])
@endpoint(
    auth=KeyAuth(_WRITE),
    tag="Storage",
    answers={204: None},
    problems=("not_found", TEMPLATE_NOT_ALLOWED, "conflict"),
)
def delete_storage_destination(call: Call) -> Reply:
    """Delete a storage destination with its credentials; uploads that wait for it fail."""
    require_unrestricted_key(call, _EFFECT)
    call.services.storage.destinations.delete(_named_destination(call))
    return Reply(204)


@blueprint.route("/v1/storage-destinations/{id}/test", methods=["POST"])
@endpoint(
    auth=KeyAuth(_WRITE),
    tag="Storage",
    answers={200: f"{_CONTRACT}:StorageTest"},
    problems=(
        "not_found",
        TEMPLATE_NOT_ALLOWED,
        "plan_feature_unavailable",
        "conflict",
        "region_degraded",
    ),
)
def test_storage_destination(call: Call) -> Reply:
    """Test a destination: connect, write a small file, and delete it.

    The file is `.platen-test-…` in the folder that stands in `path_template` before its first tag.
    The steps end at the first that fails; each takes 5 s at most. Of a workspace one test runs at a
    time: another one is a `conflict`.
    """
    require_unrestricted_key(call, _EFFECT)
    steps = call.services.storage.request_trial(call.caller.workspace, call.params["id"])
    ok = all(step["ok"] for step in steps)
    return Reply(200, {"object": "storage_test", "ok": ok, "steps": steps})


def _named_destination(call: Call) -> StorageDestination:
    return call.services.storage.destinations.one(call.caller.workspace_id, call.params["id"])
