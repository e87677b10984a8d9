"""Error codes of the contract with their statuses, listed a second time on purpose.

A change of the catalogue changes the public contract, so this list must change with it.
"""

from typing import Final

STATUSES: Final[dict[int | None, str]] = {
    400: "invalid_json validation_error",
    401: "authentication_required invalid_api_key api_key_expired api_key_revoked",
    402: "render_limit_reached plan_feature_unavailable free_workspace_limit",
    403: "insufficient_scope ip_not_allowed test_key_required template_not_allowed_for_key "
    "email_not_verified region_not_enabled feature_not_enabled workspace_suspended "
    "workspace_deletion_scheduled invalid_signature referrer_not_allowed",
    404: "not_found template_not_found render_not_found version_not_found upload_not_found",
    405: "method_not_allowed",
    408: "render_timeout",
    409: "idempotency_in_progress draft_revision_conflict conflict zero_retention "
    "item_files_expired email_connection_in_use email_file_expired email_not_resendable",
    410: "template_deleted file_expired link_expired",
    413: "payload_too_large output_too_large",
    415: "unsupported_media_type",
    422: "template_syntax_error template_runtime_error template_fuel_exhausted "
    "data_schema_mismatch idempotency_key_reused url_not_allowed navigation_failed wait_timeout "
    "asset_fetch_failed data_url_fetch_failed page_limit_exceeded attachment_failed "
    "invalid_pdf_source pdf_password_required scene_invalid data_invalid email_template_error "
    "email_needs_hosted_file render_failed pdfua_validation_failed pdfa_conversion_failed "
    "einvoice_invalid einvoice_validation_failed",
    423: "template_locked",
    429: "rate_limited concurrency_limited quota_exceeded",
    500: "internal_error",
    503: "region_degraded maintenance",
    None: "render_lost csv_row_invalid email_too_large email_recipient_missing "
    "email_address_invalid email_too_many_recipients email_attachment_too_large "
    "email_attachment_type_not_allowed email_provider_rejected email_provider_auth_failed "
    "email_provider_unavailable email_ip_not_authorized email_rate_limited email_outcome_unknown "
    "email_daily_cap_reached email_disabled email_credentials_removed email_send_expired",
}

CODES: Final = {code: status for status, codes in STATUSES.items() for code in codes.split()}

# Statuses that an unchanged retry cannot cure.
NOT_RETRYABLE: Final = frozenset({400, 401, 402, 403, 404, 405, 410, 413, 415, 423})
