"""Outcomes of the matrix of access: for each route and each field with an id."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from tests.builders.access.requests import TOOLS


class Outcomes(NamedTuple):
    """Outcomes of a request that names an object, by who sends it.

    `stranger`: a key of another workspace. `restricted`: a live key with a template allowlist, for
    an object of another template. `test`: a test key, for a live object. `owner`: an unrestricted
    live key. An outcome is a code, `ok`, or `empty` for a list without entries.
    """

    stranger: str
    restricted: str
    test: str
    owner: str


OF_TEMPLATE_AND_MODE: Final = Outcomes("not_found", "not_found", "not_found", "ok")
RENDER: Final = Outcomes("render_not_found", "render_not_found", "render_not_found", "ok")
OF_TEMPLATE: Final = Outcomes("not_found", "not_found", "ok", "ok")
TEMPLATE: Final = Outcomes("template_not_found", "template_not_allowed_for_key", "ok", "ok")
OF_WORKSPACE: Final = Outcomes("not_found", "ok", "ok", "ok")
READ_ONLY: Final = Outcomes("not_found", "template_not_allowed_for_key", "ok", "ok")
UPLOAD: Final = Outcomes("upload_not_found", "ok", "ok", "ok")
NAMED: Final = Outcomes("validation_error", "ok", "ok", "ok")
FILTER: Final = Outcomes("empty", "empty", "empty", "ok")
# A dataset or rule of another template than the request's, or an upload where none is taken.
OF_OTHER_TEMPLATE: Final = Outcomes(*["not_found"] * 4)
REFUSED_TO_ALL: Final = Outcomes(*["validation_error"] * 4)
NOT_TAKEN: Final = Outcomes(*["not_allowed"] * 4)

_TOOL: Final = {
    "/delivery/email/*/rule_id": REFUSED_TO_ALL,
    "/delivery/storage/*/destination_id": NAMED,
    "/source/file_id": OF_TEMPLATE_AND_MODE,
    "/source/render_id": OF_TEMPLATE_AND_MODE,
    "/source/upload_id": UPLOAD,
}
_MERGE: Final = {
    **{field: _TOOL[field] for field in _TOOL if not field.startswith("/source/")},
    "/sources/*/file_id": OF_TEMPLATE_AND_MODE,
    "/sources/*/render_id": OF_TEMPLATE_AND_MODE,
    "/sources/*/upload_id": UPLOAD,
}
_OF_TOOLS: Final[Mapping[str, Mapping[str, Outcomes]]] = {
    **dict.fromkeys(TOOLS, _TOOL),
    "merge": _MERGE,
    "attach": {**_TOOL, "/attachments/*/upload_id": UPLOAD},
    "watermark": {**_TOOL, "/watermark/image/upload_id": UPLOAD},
    "stamp": {
        **_TOOL,
        "/stamp/file_id": OF_TEMPLATE_AND_MODE,
        "/stamp/image/upload_id": UPLOAD,
        "/stamp/upload_id": UPLOAD,
    },
}
# The codes of a preflight are those of fields.
_CHECKED: Final = {UPLOAD: OF_WORKSPACE, NAMED: OF_WORKSPACE, REFUSED_TO_ALL: NOT_TAKEN}

OUTCOMES: Final[Mapping[str, Mapping[str, Outcomes]]] = {
    "GET /v1/renders": {
        "?batch_id": FILTER,
        "?template_id": FILTER,
    },
    "POST /v1/renders": {
        "/delivery/email/*/rule_id": REFUSED_TO_ALL,
        "/delivery/storage/*/destination_id": NAMED,
        "/input/assets/*/upload_id": UPLOAD,
        "/input/template_id": TEMPLATE,
        "/input/upload_id": UPLOAD,
        "/output/einvoice/invoice/supporting_documents/*/upload_id": UPLOAD,
        "/output/pdf/attachments/*/upload_id": UPLOAD,
        "/output/pdf/watermark/image/upload_id": UPLOAD,
    },
    "POST /v1/renders/preflight": {
        "/delivery/email/*/rule_id": NOT_TAKEN,
        "/delivery/storage/*/destination_id": OF_WORKSPACE,
        "/input/assets/*/upload_id": OF_WORKSPACE,
        "/input/template_id": TEMPLATE,
        "/input/upload_id": OF_WORKSPACE,
        "/output/einvoice/invoice/supporting_documents/*/upload_id": OF_WORKSPACE,
        "/output/pdf/attachments/*/upload_id": OF_WORKSPACE,
        "/output/pdf/watermark/image/upload_id": OF_WORKSPACE,
    },
    "GET /v1/renders/{id}": {
        "{id}": RENDER,
    },
    "GET /v1/renders/{id}/logs": {
        "{id}": RENDER,
    },
    "GET /v1/renders/{id}/files/{file_id}": {
        "{id}": Outcomes("render_not_found", "render_not_found", "render_not_found", "not_found"),
        "{file_id}": Outcomes("not_found", "not_found", "not_found", "not_found"),
    },
    "POST /v1/renders/{id}/cancel": {
        "{id}": Outcomes("render_not_found", "render_not_found", "render_not_found", "conflict"),
    },
    "DELETE /v1/renders/{id}/files": {
        "{id}": RENDER,
    },
    "DELETE /v1/uploads/{id}": {
        "{id}": UPLOAD,
    },
    "GET /v1/uploads/{id}": {
        "{id}": UPLOAD,
    },
    "POST /v1/pdf/from-html": {
        "/assets/*/upload_id": UPLOAD,
        "/einvoice/invoice/supporting_documents/*/upload_id": UPLOAD,
        "/email/*/rule_id": REFUSED_TO_ALL,
        "/storage/*/destination_id": NAMED,
        "/pdf/attachments/*/upload_id": UPLOAD,
        "/pdf/watermark/image/upload_id": UPLOAD,
        "/upload_id": UPLOAD,
    },
    "POST /v1/pdf/from-template": {
        "/assets/*/upload_id": UPLOAD,
        "/einvoice/invoice/supporting_documents/*/upload_id": UPLOAD,
        "/email/*/rule_id": REFUSED_TO_ALL,
        "/storage/*/destination_id": NAMED,
        "/pdf/attachments/*/upload_id": UPLOAD,
        "/pdf/watermark/image/upload_id": UPLOAD,
        "/template_id": TEMPLATE,
    },
    "POST /v1/pdf/from-url": {
        "/einvoice/invoice/supporting_documents/*/upload_id": UPLOAD,
        "/email/*/rule_id": REFUSED_TO_ALL,
        "/storage/*/destination_id": NAMED,
        "/pdf/attachments/*/upload_id": UPLOAD,
        "/pdf/watermark/image/upload_id": UPLOAD,
    },
    "POST /v1/images/from-html": {
        "/assets/*/upload_id": UPLOAD,
        "/email/*/rule_id": REFUSED_TO_ALL,
        "/storage/*/destination_id": NAMED,
        "/upload_id": UPLOAD,
    },
    "POST /v1/images/from-template": {
        "/assets/*/upload_id": UPLOAD,
        "/email/*/rule_id": REFUSED_TO_ALL,
        "/storage/*/destination_id": NAMED,
        "/template_id": TEMPLATE,
    },
    "POST /v1/images/from-url": {
        "/email/*/rule_id": REFUSED_TO_ALL,
        "/storage/*/destination_id": NAMED,
    },
    "GET /v1/batches": {
        "?template_id": FILTER,
    },
    "POST /v1/batches": {
        "/csv_upload_id": UPLOAD,
        "/delivery/email/*/rule_id": REFUSED_TO_ALL,
        "/delivery/storage/*/destination_id": NAMED,
        "/output/einvoice/invoice/supporting_documents/*/upload_id": UPLOAD,
        "/output/pdf/attachments/*/upload_id": UPLOAD,
        "/output/pdf/watermark/image/upload_id": UPLOAD,
        "/template_id": TEMPLATE,
    },
    "GET /v1/batches/{id}": {
        "{id}": OF_TEMPLATE_AND_MODE,
    },
    "POST /v1/batches/{id}/cancel": {
        "{id}": Outcomes("not_found", "not_found", "not_found", "conflict"),
    },
    "GET /v1/batches/{id}/items": {
        "{id}": OF_TEMPLATE_AND_MODE,
    },
    "POST /v1/batches/{id}/resend-emails": {
        "{id}": OF_TEMPLATE_AND_MODE,
    },
    "POST /v1/batches/{id}/retry-failed": {
        "{id}": Outcomes("not_found", "not_found", "not_found", "conflict"),
    },
    "POST /v1/einvoices": {
        "/delivery/email/*/rule_id": REFUSED_TO_ALL,
        "/delivery/storage/*/destination_id": NAMED,
        "/invoice/supporting_documents/*/upload_id": UPLOAD,
    },
    "POST /v1/einvoices/preflight": {
        "/delivery/email/*/rule_id": NOT_TAKEN,
        "/delivery/storage/*/destination_id": OF_WORKSPACE,
        "/invoice/supporting_documents/*/upload_id": OF_WORKSPACE,
    },
    "POST /v1/einvoices/validate": {
        "/upload_id": UPLOAD,
    },
    "POST /v1/templates": {
        "/options/email/*/rule_id": Outcomes("ok", "template_not_allowed_for_key", "ok", "ok"),
        "/options/pdf/attachments/*/upload_id": Outcomes(
            "validation_error",
            "template_not_allowed_for_key",
            "validation_error",
            "validation_error",
        ),
        "/options/pdf/watermark/image/upload_id": Outcomes(
            "validation_error",
            "template_not_allowed_for_key",
            "validation_error",
            "validation_error",
        ),
    },
    "DELETE /v1/templates/{id}": {
        "{id}": TEMPLATE,
    },
    "GET /v1/templates/{id}": {
        "{id}": TEMPLATE,
    },
    "PATCH /v1/templates/{id}": {
        "{id}": TEMPLATE,
    },
    "GET /v1/templates/{id}/datasets": {
        "{id}": TEMPLATE,
    },
    "POST /v1/templates/{id}/datasets": {
        "{id}": TEMPLATE,
    },
    "DELETE /v1/templates/{id}/datasets/{ds}": {
        "{ds}": OF_OTHER_TEMPLATE,
        "{id}": TEMPLATE,
    },
    "GET /v1/templates/{id}/datasets/{ds}": {
        "{ds}": OF_OTHER_TEMPLATE,
        "{id}": TEMPLATE,
    },
    "PUT /v1/templates/{id}/datasets/{ds}": {
        "{ds}": OF_OTHER_TEMPLATE,
        "{id}": TEMPLATE,
    },
    # Of a version that is not there: the ids are looked at before.
    "POST /v1/templates/{id}/compare": {
        "/dataset_id": OF_OTHER_TEMPLATE,
        "{id}": TEMPLATE._replace(test="version_not_found", owner="version_not_found"),
    },
    "GET /v1/templates/{id}/draft": {
        "{id}": TEMPLATE,
    },
    "PUT /v1/templates/{id}/draft": {
        "/options/email/*/rule_id": Outcomes("ok", "ok", "ok", "ok"),
        "/options/pdf/attachments/*/upload_id": REFUSED_TO_ALL,
        "/options/pdf/watermark/image/upload_id": REFUSED_TO_ALL,
        "{id}": TEMPLATE,
    },
    "POST /v1/templates/{id}/infer-schema": {
        "{id}": TEMPLATE,
    },
    "POST /v1/templates/{id}/lock": {
        "{id}": TEMPLATE,
    },
    "POST /v1/templates/{id}/publish": {
        "{id}": TEMPLATE,
    },
    "POST /v1/templates/{id}/restore": {
        "{id}": Outcomes(
            "template_not_found", "template_not_allowed_for_key", "conflict", "conflict"
        ),
    },
    "POST /v1/templates/{id}/rollback": {
        "{id}": TEMPLATE,
    },
    "POST /v1/templates/{id}/unlock": {
        "{id}": TEMPLATE,
    },
    "GET /v1/templates/{id}/schema": {
        "{id}": TEMPLATE,
    },
    "GET /v1/templates/{id}/versions": {
        "{id}": TEMPLATE,
    },
    "GET /v1/templates/{id}/versions/{number}": {
        "{id}": TEMPLATE,
    },
    "DELETE /v1/storage-destinations/{id}": {
        "{id}": READ_ONLY,
    },
    "GET /v1/storage-destinations/{id}": {
        "{id}": OF_WORKSPACE,
    },
    "PATCH /v1/storage-destinations/{id}": {
        "{id}": READ_ONLY,
    },
    "POST /v1/storage-destinations/{id}/test": {
        "{id}": READ_ONLY,
    },
    "DELETE /v1/email-connections/{id}": {
        "{id}": READ_ONLY,
    },
    "GET /v1/email-connections/{id}": {
        "{id}": OF_WORKSPACE,
    },
    "PATCH /v1/email-connections/{id}": {
        "{id}": READ_ONLY,
    },
    "POST /v1/email-connections/{id}/test": {
        "{id}": READ_ONLY,
    },
    "GET /v1/templates/{id}/email-rules": {
        "{id}": TEMPLATE,
    },
    "POST /v1/templates/{id}/email-rules": {
        "/connection_id": NAMED,
        "{id}": TEMPLATE,
    },
    "POST /v1/email-rules/preview": {
        "/dataset_id": OF_OTHER_TEMPLATE,
        "/rule/connection_id": NAMED,
        "/template_id": TEMPLATE,
    },
    "DELETE /v1/email-rules/{id}": {
        "{id}": OF_TEMPLATE,
    },
    "GET /v1/email-rules/{id}": {
        "{id}": OF_TEMPLATE,
    },
    "PATCH /v1/email-rules/{id}": {
        "/connection_id": NAMED,
        "{id}": OF_TEMPLATE,
    },
    "POST /v1/email-rules/{id}/preview": {
        "/dataset_id": OF_OTHER_TEMPLATE,
        "/rule/connection_id": NAMED,
        "{id}": OF_TEMPLATE,
    },
    "POST /v1/email-rules/{id}/test": {
        "/dataset_id": OF_OTHER_TEMPLATE,
        "/rule/connection_id": NAMED,
        "{id}": OF_TEMPLATE,
    },
    "GET /v1/email-sends": {
        "?batch_id": Outcomes("empty", "empty", "empty", "empty"),
        "?render_id": FILTER,
        "?rule_id": Outcomes("empty", "empty", "empty", "empty"),
    },
    "GET /v1/email-sends/{id}": {
        "{id}": OF_TEMPLATE_AND_MODE,
    },
    "GET /v1/email-sends/{id}/events": {
        "{id}": Outcomes("not_found", "not_found", "not_found", "empty"),
    },
    "POST /v1/email-sends/{id}/resend": {
        "{id}": Outcomes("not_found", "not_found", "not_found", "email_not_resendable"),
    },
    "POST /v1/signed-links": {
        "/output/einvoice/invoice/supporting_documents/*/upload_id": REFUSED_TO_ALL,
        "/output/pdf/attachments/*/upload_id": REFUSED_TO_ALL,
        "/output/pdf/watermark/image/upload_id": REFUSED_TO_ALL,
        "/template_id": TEMPLATE,
    },
    "DELETE /v1/signed-links/{id}": {
        "{id}": OF_TEMPLATE_AND_MODE,
    },
    "GET /v1/signed-links/{id}": {
        "{id}": OF_TEMPLATE_AND_MODE,
    },
    "PATCH /v1/signed-links/{id}": {
        "/output/einvoice/invoice/supporting_documents/*/upload_id": REFUSED_TO_ALL,
        "/output/pdf/attachments/*/upload_id": REFUSED_TO_ALL,
        "/output/pdf/watermark/image/upload_id": REFUSED_TO_ALL,
        "{id}": OF_TEMPLATE_AND_MODE,
    },
    "POST /v1/signed-links/{id}/sign": {
        "{id}": OF_TEMPLATE_AND_MODE,
    },
    "POST /v1/webhook-endpoints": {
        "/template_ids": Outcomes("ok", "validation_error", "ok", "ok"),
    },
    "DELETE /v1/webhook-endpoints/{id}": {
        "{id}": OF_TEMPLATE_AND_MODE,
    },
    "GET /v1/webhook-endpoints/{id}": {
        "{id}": OF_TEMPLATE_AND_MODE,
    },
    "PATCH /v1/webhook-endpoints/{id}": {
        "/template_ids": Outcomes("ok", "validation_error", "ok", "ok"),
        "{id}": OF_TEMPLATE_AND_MODE,
    },
    "POST /v1/webhook-endpoints/{id}/roll-secret": {
        "{id}": OF_TEMPLATE_AND_MODE,
    },
    "POST /v1/webhook-endpoints/{id}/test": {
        "{id}": OF_TEMPLATE_AND_MODE,
    },
    "GET /v1/webhook-deliveries": {
        "?endpoint_id": FILTER,
        "?render_id": Outcomes("empty", "empty", "empty", "empty"),
    },
    "GET /v1/webhook-deliveries/{id}": {
        "{id}": OF_TEMPLATE_AND_MODE,
    },
    "POST /v1/webhook-deliveries/{id}/replay": {
        "{id}": OF_TEMPLATE_AND_MODE,
    },
    **{f"POST /v1/pdf-tools/{tool}": rows for tool, rows in _OF_TOOLS.items()},
    **{
        f"POST /v1/pdf-tools/{tool}/preflight": {
            field: _CHECKED.get(outcomes, outcomes) for field, outcomes in rows.items()
        }
        for tool, rows in _OF_TOOLS.items()
    },
}
