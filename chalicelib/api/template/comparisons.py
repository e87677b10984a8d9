"""`/v1/templates/{id}/compare`: two versions of a template, side by side."""

from typing import Final

import msgspec
from chalice.app import Blueprint

from chalicelib.api.edge.auth import KeyAuth
from chalicelib.api.edge.endpoint import Call, Reply, endpoint
from chalicelib.api.template._template_request import (
    DRY_RUN_PROBLEMS,
    LOOKUP_PROBLEMS,
    dry_run_deadline,
    requested_template,
)
from chalicelib.features.previews.compare_versions import ComparedVersions, ComparisonRequest
from chalicelib.features.previews.comparison_files import FILES_LIVE

blueprint: Final = Blueprint(__name__)

_CONTRACT: Final = "chalicelib.contract.template.comparison"


@blueprint.route("/v1/templates/{id}/compare", methods=["POST"])
@endpoint(
    auth=KeyAuth("templates:read", also="renders:read"),
    body=f"{_CONTRACT}:ComparisonRequest",
    tag="Templates",
    answers={200: f"{_CONTRACT}:Comparison"},
    problems=(
        *LOOKUP_PROBLEMS,
        "version_not_found",
        "not_found",
        "conflict",
        "test_key_required",
        "email_not_verified",
        *DRY_RUN_PROBLEMS,
        "einvoice_invalid",
        "invalid_pdf_source",
    ),
)
def compare_template_versions(call: Call) -> Reply:
    """Compare two versions of a template.

    Both are made as PDFs of the same data, of at most 50 pages, and compared page by page. Nothing
    is billed, so the pages have the test mark. The key also needs the scope `renders:read`.
    """
    body = call.body
    request = ComparisonRequest(
        requested_template(call), body.from_, body.to, body.dataset_id, body.dpi
    )
    caller = call.caller
    compared = call.services.templates.compare(
        caller.workspace, caller.mode, request, deadline=dry_run_deadline(call)
    )
    return Reply(200, _comparison_json(call, compared))


def _comparison_json(call: Call, compared: ComparedVersions) -> dict[str, object]:
    expires = call.services.clock.now() + FILES_LIVE

    def url(number: int | None) -> str | None:
        if number is None:
            return None
        file = compared.pictures[number]
        return call.services.files.signed_urls.signed_url(file, expires, "inline")

    return {
        "object": "comparison",
        "pages": [
            {
                "page": each.page,
                "changed": each.changed,
                "from_url": url(each.from_picture),
                "to_url": url(each.to_picture),
                "diff_url": url(each.diff_picture),
            }
            for each in compared.comparison.pages
        ],
        "text_changes": [msgspec.to_builtins(each) for each in compared.comparison.text_changes],
    }
