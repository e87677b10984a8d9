"""`/files`: signed addresses of files."""

from chalicelib.api.edge.endpoint import Call, Reply, endpoint


@endpoint(
    "GET",
    "/files/{file_id}/{filename}",
    scope=None,
    query="chalicelib.contract.uploads:FileQuery",
    query_error_code="invalid_signature",
    tag="Files",
    answers={302: None},
    problems=("file_expired",),
)
def fetch(call: Call) -> Reply:
    """Fetch a file by its signed address.

    Redirects to the store. Whoever has the address may fetch the file until it expires, the file's
    retention ends or it is purged.
    An address with anything added or changed is no longer the signed one.
    """
    location = call.services.signed_urls.resolve(
        call.params["file_id"], call.params["filename"], call.query.exp or "", call.query.sig or ""
    )
    return Reply(302, headers={"Location": location})
