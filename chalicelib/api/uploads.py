"""`/v1/uploads`: files that are sent ahead of the request that names them."""

from typing import Final

from chalice.app import Blueprint

from chalicelib.api.edge.auth import KeyAuth
from chalicelib.api.edge.endpoint import JSON, Call, Creation, Reply, endpoint
from chalicelib.api.edge.request_body import MULTIPART_TYPE, form_file
from chalicelib.core import json
from chalicelib.features.uploads.create import AnnouncedUpload
from chalicelib.features.uploads.model import Upload
from chalicelib.features.uploads.read import upload_object

blueprint: Final = Blueprint(__name__)

_UPLOAD: Final = "chalicelib.contract.uploads:Upload"
_ANNOUNCED: Final = "chalicelib.contract.uploads:AnnouncedUpload"


@blueprint.route("/v1/uploads", methods=["POST"])
@endpoint(
    auth=KeyAuth("render:write"),
    body="chalicelib.contract.uploads:UploadRequest",
    media_types=(JSON, MULTIPART_TYPE),
    creates=Creation(has_secret=True),
    tag="Uploads",
    # The narrower one first: some generators take the first that fits.
    answers={201: (_ANNOUNCED, _UPLOAD)},
    problems=("conflict",),
)
def create_upload(call: Call) -> Reply:
    """Upload a file, or announce one.

    As `multipart/form-data`: the field `file`; the whole body may have the plan's `max_payload_mb`.
    As JSON: the response has `upload`, a form to send a file of up to 200 MB with. The upload is
    `pending` until the file has arrived. An upload is deleted after 24 hours.

    All uploads of a workspace have 2 GB together on the plan free, 10 GB on starter and growth, and
    50 GB on pro and scale; past it the answer is 409 `conflict`. An announced one counts for 24
    hours, also when it is deleted before. What its form stores once it is `ready` changes nothing.
    """
    if call.body is None:
        return _store_form_file(call)
    upload, form = call.services.uploads.create.announce(_announced_upload(call))
    return Reply(201, upload_object(upload, form), headers=_location_header(call, upload))


@blueprint.route("/v1/uploads/{id}", methods=["GET"])
@endpoint(
    auth=KeyAuth("render:write"),
    tag="Uploads",
    answers={200: _UPLOAD},
    problems=("upload_not_found",),
)
def retrieve_upload(call: Call) -> Reply:
    """Retrieve an upload."""
    upload = call.services.uploads.read.get(call.caller.workspace_id, call.params["id"])
    return Reply(200, upload_object(upload))


@blueprint.route("/v1/uploads/{id}", methods=["DELETE"])
@endpoint(
    auth=KeyAuth("render:write"),
    tag="Uploads",
    answers={204: None},
    problems=("upload_not_found",),
)
def delete_upload(call: Call) -> Reply:
    """Delete an upload at once.

    A render that names it and has not started yet fails with `upload_not_found`.
    """
    upload = call.services.uploads.read.get(call.caller.workspace_id, call.params["id"])
    call.services.uploads.delete(upload)
    return Reply(204)


def _store_form_file(call: Call) -> Reply:
    from chalicelib.contract.validation import read_body  # noqa: PLC0415 -- pydantic is slow

    file = form_file(call)
    # The form's fields pass through the model of the JSON request, so both have the same checks.
    fields = {
        "filename": file.filename,
        "content_type": file.content_type,
        "bytes": len(file.content),
    }
    assert call.endpoint.body_model is not None
    call.body = read_body(call.endpoint.body_model, json.dumps(fields).encode(), fields)
    upload = call.services.uploads.create.store(_announced_upload(call), file.content)
    return Reply(201, upload_object(upload), headers=_location_header(call, upload))


def _announced_upload(call: Call) -> AnnouncedUpload:
    body = call.body
    return AnnouncedUpload(call.caller.workspace, body.filename, body.content_type, body.bytes)


def _location_header(call: Call, upload: Upload) -> dict[str, str]:
    return {"Location": f"{call.services.settings.base_url}/uploads/{upload.id}"}
