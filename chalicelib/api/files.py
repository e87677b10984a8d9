"""`/files`: signed URLs of files."""

from typing import Final

from chalice.app import Blueprint

from chalicelib.api.edge.auth import PUBLIC
from chalicelib.api.edge.endpoint import Call, Reply, endpoint

blueprint: Final = Blueprint(__name__)


@blueprint.route("/files/{file_id}/{filename}", methods=["GET"])
@endpoint(
    auth=PUBLIC,
    allows_any_origin=True,
    query="chalicelib.contract.uploads:FileQuery",
    query_error_code="invalid_signature",
    tag="Files",
    answers={302: None},
    problems=("file_expired", "workspace_suspended", "workspace_deletion_scheduled"),
)
def download_file(call: Call) -> Reply:
    """Fetch a file by its signed URL.

    Redirects to the file store. Anyone who has the URL can fetch the file until the URL expires,
    the file's retention ends or the file is purged. A URL that was changed in any way is refused.
    So are all URLs of a workspace while it is suspended or scheduled for deletion.
    """
    location = call.services.files.signed_urls.resolve(
        call.params["file_id"],
        call.params["filename"],
        call.query.exp or "",
        call.query.disposition or "attachment",
        call.query.sig or "",
    )
    return Reply(302, headers={"Location": location})
