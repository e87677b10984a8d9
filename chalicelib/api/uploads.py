"""`/v1/uploads`: send files before the request that names them."""

from chalicelib.api.edge.endpoint import JSON, Call, Reply, endpoint
from chalicelib.api.edge.request_body import MULTIPART_TYPE, form_file
from chalicelib.core import json
from chalicelib.features.uploads.create import AnnouncedUpload
from chalicelib.features.uploads.model import Upload
from chalicelib.features.uploads.read import upload_object

_UPLOAD = "chalicelib.contract.uploads:Upload"


@endpoint(
    "POST",
    "/v1/uploads",
    scope="render:write",
    body="chalicelib.contract.uploads:UploadRequest",
    media_types=(JSON, MULTIPART_TYPE),
    tag="Uploads",
    answers={201: _UPLOAD},
)
def create(call: Call) -> Reply:
    """Upload a file, or announce one.

    As `multipart/form-data`: the field `file`, the whole body within the plan's `max_payload_mb`.
    As JSON: the answer has `upload`, a form for a file of up to 200 MB; the upload is `pending`
    until the file has arrived there. An upload goes away after 24 hours.
    """
    if call.body is None:
        return _store_form_file(call)
    upload, form = call.services.create_upload.announce(_announced_upload(call))
    return Reply(201, upload_object(upload, form), headers=_location_header(call, upload))


@endpoint(
    "GET",
    "/v1/uploads/{id}",
    scope="render:write",
    tag="Uploads",
    answers={200: _UPLOAD},
    problems=("upload_not_found",),
)
def retrieve(call: Call) -> Reply:
    """Retrieve an upload, as it stands."""
    upload = call.services.read_uploads.get(call.caller.workspace_id, call.params["id"])
    return Reply(200, upload_object(upload))


@endpoint(
    "DELETE",
    "/v1/uploads/{id}",
    scope="render:write",
    tag="Uploads",
    answers={204: None},
    problems=("upload_not_found",),
)
def delete(call: Call) -> Reply:
    """Delete an upload at once.

    A render that names it and has not begun yet fails with `upload_not_found`.
    """
    upload = call.services.read_uploads.get(call.caller.workspace_id, call.params["id"])
    call.services.delete_upload(upload)
    return Reply(204)


def _store_form_file(call: Call) -> Reply:
    from chalicelib.contract.validation import read_body  # noqa: PLC0415 -- pydantic is slow

    file = form_file(call)
    said = {
        "filename": file.filename,
        "content_type": file.content_type,
        "bytes": len(file.content),
    }
    assert call.endpoint.body_model is not None
    call.body = read_body(call.endpoint.body_model, json.dumps(said).encode(), said)
    upload = call.services.create_upload.store(_announced_upload(call), file.content)
    return Reply(201, upload_object(upload), headers=_location_header(call, upload))


def _announced_upload(call: Call) -> AnnouncedUpload:
    asked = call.body
    return AnnouncedUpload(
        call.caller.workspace_id, asked.filename, asked.content_type, asked.bytes
    )


def _location_header(call: Call, upload: Upload) -> dict[str, str]:
    return {"Location": f"{call.services.settings.base_url}/uploads/{upload.id}"}
