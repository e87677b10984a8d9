"""Error codes of requests, of the state of objects, and of the service's health."""

from typing import Final

from chalicelib.core.problems.problem import Problem

REQUESTS: Final = (
    Problem(
        "invalid_json",
        400,
        "Body is not valid JSON",
        "The body could not be read as one JSON document in UTF-8. Duplicate keys, NaN and "
        "Infinity, and very deep nesting count as errors too.",
        "Look at the line and column in the detail, and send what a JSON library wrote instead "
        "of text put together by hand.",
        owner="api",
    ),
    Problem(
        "validation_error",
        400,
        "Request has invalid fields",
        "The JSON is fine, but a field or query parameter is missing, unknown, of the wrong "
        "type or out of its range.",
        "Go through `errors`: each entry points to one field and says what to change there.",
        owner="api",
    ),
    Problem(
        "not_found",
        404,
        "Nothing here",
        "No such address, or no such object in this workspace.",
        "Use the route that the detail names, if it does. Check the id, and that the key belongs "
        "to the workspace that owns the object.",
        owner="api",
    ),
    Problem(
        "template_not_found",
        404,
        "Template not found",
        "This workspace has no template with that id.",
        "List the templates with the same key and use an id from there.",
        owner="renders",
    ),
    Problem(
        "render_not_found",
        404,
        "Render not found",
        "This workspace has no render with that id, or the key is a test key and the render is "
        "a live one.",
        "Check the id; read live renders with a live key.",
        owner="renders",
    ),
    Problem(
        "version_not_found",
        404,
        "Template version not found",
        "The template exists, but not in the version that was asked for. A template that was "
        "never published has no live version.",
        "Publish the template, or name a version that its version list shows.",
        owner="templates",
    ),
    Problem(
        "upload_not_found",
        404,
        "Upload not found",
        "There is no such upload. Uploads go away a day after they were created.",
        "Upload the file again and use the new id.",
        owner="uploads",
    ),
    Problem(
        "method_not_allowed",
        405,
        "Method not allowed here",
        "The address exists, but not for this HTTP method.",
        "Use one of the methods that the `Allow` header lists.",
        owner="api",
    ),
    Problem(
        "idempotency_in_progress",
        409,
        "First request is still running",
        "A request with the same Idempotency-Key has not ended yet.",
        "Wait a moment and send the same request with the same key again; you will get the "
        "answer of the first one.",
        retryable=True,
        owner="renders",
    ),
    Problem(
        "idempotency_key_reused",
        422,
        "Idempotency-Key belongs to another request",
        "This Idempotency-Key was used within the last day with a different body.",
        "Make a new key for every new document; repeat a key only with exactly the same request.",
        owner="renders",
    ),
    Problem(
        "draft_revision_conflict",
        409,
        "Draft was changed meanwhile",
        "Somebody saved the draft after you had read it.",
        "Read the draft again, apply your change to it and send the new revision.",
        owner="templates",
    ),
    Problem(
        "conflict",
        409,
        "Does not fit the present state",
        "What was asked for is not possible in the state that the object is in now.",
        "Read the object, look at its status and decide again.",
        owner="renders",
    ),
    Problem(
        "zero_retention",
        409,
        "Nothing was kept",
        "The batch ran without retention, so there is no data to run its items again.",
        "Create a new batch with the items that failed.",
        owner="batches",
    ),
    Problem(
        "item_files_expired",
        409,
        "Files of finished items are gone",
        "The combined file would need the files of items that have succeeded, and those are "
        "deleted already.",
        "Create a new batch; `items` names the positions whose files are missing.",
        owner="batches",
    ),
    Problem(
        "template_deleted",
        410,
        "Template was deleted",
        "The template is in the trash.",
        "Restore it within 30 days, or use another template.",
        owner="templates",
    ),
    Problem(
        "file_expired",
        410,
        "File is deleted",
        "The file's retention has ended, or it was purged.",
        "Render the document again, and fetch or store files before their `expires_at`.",
        owner="files",
    ),
    Problem(
        "payload_too_large",
        413,
        "Body is too large",
        "The request's body is larger than the plan allows.",
        "Announce the large part with `POST /v1/uploads` (up to 200 MB) and name its `upload_id`, "
        "send less, or move to a plan with a higher `max_payload_mb`.",
        owner="api",
    ),
    Problem(
        "unsupported_media_type",
        415,
        "Content type is not supported",
        "This address does not take a body of that Content-Type.",
        "Send one of the types that the detail lists, mostly `application/json`. A file goes to "
        "`POST /v1/uploads` first; the request names its `upload_id`.",
        owner="api",
    ),
    Problem(
        "template_locked",
        423,
        "Template is locked",
        "A locked template keeps its draft and cannot be deleted.",
        "Unlock the template first, or work on a copy.",
        owner="templates",
    ),
    Problem(
        "rate_limited",
        429,
        "Too many requests",
        "The workspace sent more requests in a second (or test renders in a minute) than its "
        "plan allows.",
        "Wait for the seconds in `Retry-After` and spread requests more evenly.",
        retryable=True,
        owner="api",
    ),
    Problem(
        "concurrency_limited",
        429,
        "Too many renders at once",
        "All places of the plan for simultaneous sync renders, publishings and checks are taken.",
        "Wait for `Retry-After`, use `mode: async`, or keep fewer requests open at a time.",
        retryable=True,
        owner="workspaces",
    ),
    Problem(
        "quota_exceeded",
        429,
        "Signed link is used up",
        "The link has made all the renders it was given. Addresses that were rendered before "
        "still work.",
        "Raise the link's `quota_total` or create a new link.",
        owner="signed_links",
    ),
    Problem(
        "internal_error",
        500,
        "Something broke on our side",
        "The service failed in a way that it should not; it is no fault of the request.",
        "Try again with growing pauses. If it stays, tell the operator the `request_id`.",
        retryable=True,
        owner="api",
    ),
    Problem(
        "region_degraded",
        503,
        "Reduced capacity",
        "This region has no room for the request, or did not keep up with it. A request that is "
        "repeated with its Idempotency-Key makes and bills nothing twice.",
        "Wait for `Retry-After` and try again, or use `mode: async`.",
        retryable=True,
        owner="workspaces",
    ),
    Problem(
        "maintenance",
        503,
        "Maintenance",
        "New renders are paused for maintenance; reading goes on.",
        "Wait for `Retry-After` and try again.",
        retryable=True,
        owner="workspaces",
    ),
)
