"""Enumerations, warnings and shapes of the contract, listed a second time on purpose.

A change of any of them changes the public contract, so this list must change with it.
"""

from typing import Final

# Warnings that are known before a render has ended.
_FAIL_ON: Final = (
    "slow_asset asset_failed navigation_stopped content_clipped font_fallback_used "
    "header_footer_overlap locale_unsupported glyph_missing feature_unavailable "
    "data_coerced text_overflow einvoice_validation_warning "
    "einvoice_validation_unavailable pdfa_validation_unavailable "
    "pdfua_validation_unavailable accessibility_validation_unavailable "
    "einvoice_skipped_plan storage_skipped_plan email_skipped_plan "
    "email_skipped_zero_retention invoice_totals_unavailable undefined_value data_unused "
    "script_failed link_broken placeholder_left"
)

_RENDER_STATUS: Final = "queued processing succeeded failed canceled"
_BATCH_STATUS: Final = "queued processing completed failed canceled"
_ITEM_STATUS: Final = "pending queued succeeded failed canceled"
_SEND_STATUS: Final = "pending sending retrying sent sandboxed skipped failed unknown canceled"
_RENDER_MODE: Final = "sync async"
_EVENTS: Final = (
    "render.succeeded render.failed render.expired template.published usage.threshold_reached "
    "batch.progress batch.completed storage.upload_failed email.sent email.send_failed "
    "email.delivered email.bounced email.complained"
)
_DELIVERY_STATUS: Final = "pending succeeded failed retrying canceled"
_ENDPOINT: Final = (
    "id object url description events template_ids headers enabled is_default disabled_reason "
    "previous_secret_expires_at created_at updated_at"
)
_DELIVERY: Final = "id object endpoint_id event_id event_type status next_attempt_at created_at"
_RENDER_ERROR: Final = "code message line column excerpt errors"
_STORAGE_PROVIDER: Final = "s3 azure_blob gcs sftp"
_STORAGE_ERROR: Final = (
    "storage_denied storage_not_found storage_unavailable storage_rejected "
    "storage_key_invalid storage_host_key_mismatch storage_destination_deleted url_not_allowed"
)
_OPTIONS: Final = {
    "mode": _RENDER_MODE,
    "priority": "normal low",
    "timeout_behavior": "continue cancel",
    "version": "live draft",
}
_DELIVERY_TYPE: Final = "url binary base64 none"
_INPUT_TYPE: Final = "html url template pdf_tool einvoice"
_RESULT_FORMAT: Final = "pdf png jpeg webp html xml zip txt"
_SHORT_FORMS: Final = (
    "Convenience",
    "PdfFromHtml",
    "PdfFromUrl",
    "PdfFromTemplate",
    "ImageFromHtml",
    "ImageFromUrl",
    "ImageFromTemplate",
)
# Fields of every request that creates a render.
_MAKING: Final = ["RenderRequest", *_SHORT_FORMS]
_TOOLS: Final = (
    "Merge Split ExtractPages DeletePages Rotate Reorder Watermark Stamp Protect Unlock Metadata "
    "Attach Flatten FillForm Compress ToImages ToText Pdfa Validate Tool Source Sources"
)
_TOOL_REQUESTS: Final = [f"{tool}Request" for tool in _TOOLS.split(" ")]
_IMAGES: Final = "png jpeg webp"
_PROFILE: Final = "MINIMUM BASIC_WL BASIC EN16931 EXTENDED XRECHNUNG"
_XML_PROFILE: Final = f"{_PROFILE} PEPPOL"
_VALIDATED_PROFILE: Final = (
    f"{_XML_PROFILE} PEPPOL_SELF_BILLING PINT_EU NLCIUS XRECHNUNG_EXTENSION XRECHNUNG_CVD "
    "EXTENDED_CTC_FR"
)
_VERDICT: Final = "passed failed unavailable"
_VAT_CATEGORY: Final = "S Z E AE K G O L M B"
_ATTACH_MODES: Final = "attach_or_link attach link none"
_TEMPLATE_TYPE: Final = "html image_canvas"
_SOURCE: Final = "content options schema_"
_VERSION: Final = "object template_id number note draft_revision rollback_of published_at"
_TEMPLATE: Final = (
    "id object name description type locked live_version thumbnail_url draft_revision created_at "
    "updated_at deleted_at"
)

_LAYERS: Final = {
    "TextLayer": "text",
    "ImageLayer": "image",
    "RectLayer": "rect",
    "EllipseLayer": "ellipse",
    "LineLayer": "line",
    "QrCodeLayer": "qrcode",
    "BarcodeLayer": "barcode",
    "SvgLayer": "svg",
    "GroupLayer": "group",
}

# Every value of the contract, by model and field.
ENUMS: Final[dict[str, str]] = {
    "AccountKey.mode": "test live",
    "AccountPlan.interval": "month year",
    **{f"{name}.type": type_ for name, type_ in _LAYERS.items()},
    "FileRedirect.object": "redirect",
    "Attachment.relationship": "Source Data Alternative Supplement Unspecified",
    "Batch.object": "batch",
    "Batch.status": _BATCH_STATUS,
    "BatchFile.kind": "zip merged_pdf",
    "BatchItem.status": _ITEM_STATUS,
    "BatchItemList.object": "list",
    "BatchItemQuery.status": _ITEM_STATUS,
    "BatchList.object": "list",
    "BatchPause.reason": "render_limit_reached",
    "BatchQuery.status": _BATCH_STATUS,
    "BatchRequest.version": "live",
    "BatchResendEmailsRequest.statuses": "failed unknown",
    "BatchWebhookSpec.events": "batch.progress batch.completed",
    "BatchWebhookSpec.format": "standard",
    "BarcodeLayer.symbology": "code128 code39 codabar ean13 ean8 gs1_128 itf upca",
    "WebhookEndpointChange.events": _EVENTS,
    "WebhookEndpointRequest.events": _EVENTS,
    "WebhookDelivery.object": "webhook_delivery",
    "WebhookDelivery.status": _DELIVERY_STATUS,
    "WebhookDeliveryDetail.object": "webhook_delivery",
    "WebhookDeliveryDetail.status": _DELIVERY_STATUS,
    "WebhookDeliveryList.object": "list",
    "WebhookDeliveryQuery.status": _DELIVERY_STATUS,
    "WebhookEndpoint.disabled_reason": "failing",
    "WebhookEndpoint.object": "webhook_endpoint",
    "WebhookEndpointList.object": "list",
    "WebhookEndpointWithSecret.disabled_reason": "failing",
    "WebhookEndpointWithSecret.object": "webhook_endpoint",
    "WebhookSecret.object": "webhook_secret",
    "WebhookSpec.events": "render.succeeded render.failed render.expired",
    "Comparison.object": "comparison",
    "ComparisonRequest.from": "live draft",
    "ComparisonRequest.to": "live draft",
    "TextComparison.kind": "added removed changed",
    "Dataset.object": "dataset",
    "DeletedTemplate.object": "template",
    "DeletedTemplate.type": _TEMPLATE_TYPE,
    "DynamicProperty.type": "text image color boolean svg",
    "DatasetList.object": "list",
    "DatasetSummary.object": "dataset",
    "DeliverySpec.retention": "none default",
    "DeliverySpec.type": _DELIVERY_TYPE,
    "EInvoiceDefault.profile": _PROFILE,
    "EInvoiceReport.profile": _VALIDATED_PROFILE,
    "EInvoiceReport.status": _VERDICT,
    "EInvoiceReport.syntax": "cii ubl",
    "EInvoiceRequest.profile": _XML_PROFILE,
    "EInvoiceRequest.syntax": "cii ubl",
    "EInvoiceSpec.profile": _PROFILE,
    "EInvoiceSpec.syntax": "cii",
    "EInvoiceValidation.object": "einvoice_validation",
    "EmailAttachment.mode": "attached linked",
    "EmailConnection.events": "registered failed",
    "EmailConnection.last_test_status": "succeeded failed",
    "EmailConnection.object": "email_connection",
    "EmailConnection.provider": "smtp brevo postmark resend ses microsoft365",
    "EmailConnection.status": "active failing",
    "EmailConnection.test_mode": "sandbox redirect skip",
    "EmailConnectionChange.provider": "smtp brevo postmark resend ses microsoft365",
    "EmailConnectionChange.test_mode": "sandbox redirect skip",
    "EmailConnectionError.code": "email_provider_auth_failed email_ip_not_authorized "
    "email_credentials_removed",
    "EmailConnectionList.object": "list",
    "EmailConnectionRequest.provider": "smtp brevo postmark resend ses microsoft365",
    "EmailConnectionRequest.test_mode": "sandbox redirect skip",
    "EmailConnectionTest.object": "email_connection_test",
    "EmailRule.attachments": _ATTACH_MODES,
    "EmailRuleChange.attachments": _ATTACH_MODES,
    "EmailRuleRequest.attachments": _ATTACH_MODES,
    "RuleTexts.attachments": _ATTACH_MODES,
    "SavedEmailRule.attachments": _ATTACH_MODES,
    "EmailRuleChange.attach_formats": "pdf png jpeg webp html xml zip",
    "EmailRuleRequest.attach_formats": "pdf png jpeg webp html xml zip",
    "RuleTexts.attach_formats": "pdf png jpeg webp html xml zip",
    "EmailRuleSpec.attachments": _ATTACH_MODES,
    "DraftedRule.attachments": _ATTACH_MODES,
    "EmailRuleSpec.attach_formats": "pdf png jpeg webp html xml zip",
    "DraftedRule.attach_formats": "pdf png jpeg webp html xml zip",
    "EmailPreview.skip_reason": "condition_false",
    "EmailPreviewAttachment.mode": "attached linked",
    "EmailRule.object": "email_rule",
    "EmailRuleList.object": "list",
    "EmailRuleWarning.code": "email_sender_unverified",
    "SavedEmailRule.object": "email_rule",
    "EmailSender.kind": "sender domain",
    "EmailTestStep.name": "connect starttls smtp_auth credentials senders sandbox_send send",
    "EmailReport.event": "delivered deferred soft_bounce hard_bounce blocked spam invalid",
    "EmailReportList.object": "list",
    "EmailSend.mode": "live sandbox redirect skip",
    "EmailSend.object": "email_send",
    "EmailSend.provider": "smtp brevo postmark resend ses microsoft365",
    "EmailSend.skip_reason": "condition_false test_mode",
    "EmailSendList.object": "list",
    "EmailSendQuery.status": "pending sending retrying sent sandboxed skipped failed unknown "
    "canceled",
    "EmailStats.object": "email_stats",
    "EmailSend.status": _SEND_STATUS,
    "Engine.object": "engine",
    "Engine.state": "current deprecated",
    "EngineList.object": "list",
    "ErrorCodeList.object": "list",
    "Event.type": _EVENTS,
    "Health.checks": "ok missing failing",
    "Health.status": "ok failing",
    "HtmlInput.type": "html",
    "ImageFromHtml.format": _IMAGES,
    "ImageFromTemplate.format": _IMAGES,
    "ImageFromUrl.format": _IMAGES,
    "ImageOutput.format": _IMAGES,
    "ImageLayer.fit": "contain cover fill",
    "ImageOptions.fit": "contain cover fill",
    "InferredSchema.object": "inferred_schema",
    "Invoice.tax_point_date_code": "3 35 432",
    "Invoice.vat_exemptions": _VAT_CATEGORY,
    "InvoiceVat.category": _VAT_CATEGORY,
    "OutputSpec.asset_policy": "lenient strict",
    "OutputSpec.fail_on": _FAIL_ON,
    "OutputSpec.format": "pdf png jpeg webp html xml zip",
    "OutputSpec.formats": "pdf png jpeg webp html xml",
    "OutputSpec.media": "print screen",
    "PdfOptions.height": "auto",
    "PdfOptions.page_size": "A0 A1 A2 A3 A4 A5 A6 Letter Legal Tabloid Ledger",
    "PdfOptions.pdfa": "2b 2u 2a 3b 3u 3a",
    "PdfReport.status": _VERDICT,
    "PdfaReport.level": "2b 2u 2a 3b 3u 3a",
    "PdfaReport.status": _VERDICT,
    "PdfuaReport.standard": "PDF/UA-1",
    "PdfuaReport.status": _VERDICT,
    "QrCodeLayer.error_correction": "L M Q H",
    "CallOptions.mode": _RENDER_MODE,
    "CallOptions.priority": "normal low",
    "CallOptions.timeout_behavior": "continue cancel",
    "DeliveryOptions.retention": "none default",
    "FileQuery.disposition": "inline",
    "PageOptions.version": "live draft",
    **{f"{model}.delivery": _DELIVERY_TYPE for model in _SHORT_FORMS},
    **{f"{model}.retention": "none default" for model in _SHORT_FORMS},
    "Render.input_type": _INPUT_TYPE,
    "Render.kind": "page pdf_tool einvoice",
    "Render.mode": _RENDER_MODE,
    "Render.output_format": _RESULT_FORMAT,
    "Render.object": "render",
    "Render.priority": "normal low",
    "Render.source": "api batch signed_link email_test",
    "Render.status": _RENDER_STATUS,
    "RenderList.object": "list",
    "RenderAttempt.outcome": "running succeeded failed canceled waived lost",
    "RenderEmail.status": _SEND_STATUS,
    "RenderFileQuery.disposition": "attachment inline",
    "RenderLog.logging": "metadata full",
    "RenderLog.object": "render_log",
    "RenderQuery.input_type": _INPUT_TYPE,
    "RenderQuery.output_format": _RESULT_FORMAT,
    "RenderQuery.source": "api batch signed_link email_test",
    "RenderQuery.status": _RENDER_STATUS,
    **{
        f"{model}.{name}": _OPTIONS[name]
        for model in ("EInvoiceRequest", "RunOptions", *_TOOL_REQUESTS)
        for name in ("mode", "priority", "timeout_behavior")
    },
    **{f"{model}.fail_on": _FAIL_ON for model in ("EInvoiceRequest", *_TOOL_REQUESTS)},
    "PdfaRequest.level": "2b 2u 2a 3b 3u 3a",
    "ServiceInfo.object": "service",
    "Stamp.layer": "over under",
    "Stamp.position": "center top-left top top-right left right bottom-left bottom bottom-right",
    "ToImagesRequest.format": _IMAGES,
    "NamedTemplateVersion.object": "template_version",
    "SignedLink.object": "signed_link",
    "SignedLink.version": "live draft",
    "SignedLinkChange.version": "live draft",
    "SignedLinkList.object": "list",
    "SignedLinkRequest.version": "live draft",
    "SignedLinkWithSecret.object": "signed_link",
    "SignedLinkWithSecret.version": "live draft",
    "SkippedEmail.code": "email_not_resendable email_file_expired",
    "StorageDestination.provider": _STORAGE_PROVIDER,
    "StorageDestination.last_test_status": "succeeded failed",
    "StorageDestination.object": "storage_destination",
    "StorageDestination.status": "active failing",
    "StorageReceipt.status": "pending retrying succeeded failed",
    "StorageDestinationChange.provider": _STORAGE_PROVIDER,
    "StorageDestinationError.code": _STORAGE_ERROR,
    "StorageDestinationList.object": "list",
    "StorageDestinationRequest.provider": _STORAGE_PROVIDER,
    "StorageError.code": _STORAGE_ERROR,
    "StorageTest.object": "storage_test",
    "StorageTestStep.name": "connect write delete",
    "StorageUpload.object": "storage_upload",
    "UsageThreshold.kind": "included_renders top_ups",
    "UsageThreshold.object": "usage_threshold",
    **{f"{name}.{field}": words for name in _MAKING for field, words in _OPTIONS.items()},
    "Template.object": "template",
    "Template.type": _TEMPLATE_TYPE,
    "TemplateDraft.object": "template_draft",
    "TemplateInput.type": "template",
    "TemplateList.object": "list",
    "TemplateSchema.object": "template_schema",
    "TemplateOptions.asset_policy": "lenient strict",
    "TemplateOptions.fail_on": _FAIL_ON,
    "TemplateOptions.media": "print screen",
    "TemplateOptions.output_format": "pdf png jpeg webp html xml zip",
    "TemplateQuery.type": _TEMPLATE_TYPE,
    "TemplateRequest.type": _TEMPLATE_TYPE,
    "TemplateVersion.object": "template_version",
    "TemplateVersionList.object": "list",
    "TemplateVersionSource.object": "template_version",
    "TextLayer.align": "left center right justify",
    "TextLayer.font_style": "normal italic",
    "TextLayer.font_weight": "normal bold",
    "TextLayer.overflow": "clip ellipsis shrink",
    "TextLayer.vertical_align": "top middle bottom",
    "AnnouncedUpload.object": "upload",
    "AnnouncedUpload.status": "pending ready",
    "Upload.object": "upload",
    "Upload.status": "pending ready",
    "UrlInput.type": "url",
    "SignedUrlRequest.format": "pdf png jpeg jpg webp",
    "Usage.object": "usage",
    "Wait.until": "load domcontentloaded networkidle",
    "Watermark.layer": "over under",
    "Watermark.position": "center top-left top top-right left right bottom-left bottom "
    "bottom-right",
}

WARNINGS: Final = f"{_FAIL_ON} storage_upload_failed"

# Every field of the answers.
SHAPES: Final[dict[str, str]] = {
    "Account": "workspace plan cycle renders limits in_use regions key",
    "AccountInUse": "sync bulk rate",
    "AccountKey": "id name mode scopes template_ids expires_at",
    "AccountLimits": "bulk_concurrency max_pages max_payload_mb rate_limit_rps sync_concurrency "
    "sync_timeout_s",
    "AccountPlan": "code interval",
    "AccountRenders": "included used remaining_included prepaid_remaining spend_cap_cents",
    "AccountWorkspace": "id name",
    "Batch": "id object status test total succeeded failed canceled pending progress template_id "
    "template_version reference metadata created_at completed_at combine files emails paused error",
    "BatchCombine": "merged_pdf zip zip_filename",
    "BatchEmailCounts": "sent failed unknown pending skipped canceled",
    "BatchError": "code message items",
    "BatchFile": "kind file_id filename content_type bytes pages expires_at url url_expires_at",
    "BatchItem": "index status render_id reference filename error previous_render_id",
    "BatchItemError": f"{_RENDER_ERROR} row previous_render_id",
    "BatchItemList": "object data has_more next_cursor",
    "BatchList": "object data has_more next_cursor",
    "BatchPause": "reason since",
    "BatchResendEmailsResult": "resent skipped",
    "LoadedBytes": "html css script font image data other",
    "WebhookEndpoint": _ENDPOINT,
    "WebhookEndpointWithSecret": f"{_ENDPOINT} secret",
    "WebhookDelivery": _DELIVERY,
    "WebhookDeliveryDetail": f"{_DELIVERY} attempts request",
    "DeliveryAttempt": "number at status_code latency_ms error response_excerpt",
    "DeliveryRequest": "url headers body",
    "TemplateContentShown": "html head css header footer scene",
    "DocumentMetadata": "title author subject keywords language creator producer created_at "
    "modified_at",
    "Comparison": "object pages text_changes",
    "PageComparison": "page changed from_url to_url diff_url",
    "TextComparison": "page kind from_ to",
    "Dataset": "id object template_id name is_default created_at updated_at data",
    "DeletedTemplate": f"{_TEMPLATE} deleted",
    "DynamicProperty": "key type required default",
    "DatasetList": "object data has_more next_cursor",
    "DatasetSummary": "id object template_id name is_default created_at updated_at",
    "InferredSchema": "object template_id datasets schema_",
    "EInvoiceReport": "profile syntax status validator scenario errors warnings",
    "EInvoiceValidation": "object conformance invoice",
    "EmailAddress": "email name",
    "EmailAttachment": "file_id filename bytes mode",
    "EmailConnection": "id object name provider status credentials credentials_delete_at "
    "default_from reply_to test_mode test_recipient config events senders egress_ips "
    "last_test_at last_test_status last_error created_at updated_at",
    "EmailConnectionTest": "object ok connection senders steps",
    "EmailTestStep": "name ok detail",
    "EmailDeliveryCounts": "delivered deferred bounced blocked complained invalid",
    "EmailReport": "event recipient reason occurred_at",
    "EmailSend": "id object render_id batch_id template_id rule_id connection_id status "
    "skip_reason mode test sandbox to cc_count bcc_count subject attachments provider "
    "provider_message_id attempts error delivery resend_of created_at sent_at",
    "EmailRecipientsToday": "recipients limit resets_at",
    "EmailSendCounts": "sent sandboxed skipped failed unknown canceled",
    "EmailStats": "object today last_30_days",
    "EmailSendError": "code message field line column provider_code provider_status",
    "Engine": "id object chromium_version state",
    "EngineList": "object data has_more next_cursor",
    "ConformanceReport": "einvoice pdfa pdfua",
    "BillingCycle": "start end",
    "Event": "id type created_at workspace_id region data",
    "EventData": "object",
    "Explain": "fonts missing_glyphs bytes requests wait missing",
    "RenderFile": "id format filename content_type bytes sha256 pages width height url "
    "url_expires_at content_base64 expires_at",
    "Finding": "rule message location path count",
    "Health": "status version checks",
    "InvoiceTotals": "line_total allowance_total charge_total tax_basis_total tax_total "
    "grand_total prepaid_amount rounding_amount due_amount vat_breakdown",
    "LiveVersion": "number published_at note",
    "NamedTemplateVersion": f"{_VERSION} name",
    "PdfaReport": "status validator errors warnings level",
    "PdfuaReport": "status validator errors warnings standard",
    "Preflight": "ok errors warnings invoice cost",
    "PreflightCost": "renders remaining",
    "PreflightError": "path code message",
    "PreflightWarning": "code message detail",
    "ProblemDetails": "type title status code detail errors render_id result request_id doc_url",
    "ProblemEntry": "path code message",
    "Render": "id object status mode test region kind input input_type template template_id "
    "template_version engine engine_version output output_format reference metadata priority "
    "source batch_id files pages warnings error result invoice billed billed_renders storage "
    "emails email timings logs explain created_at started_at completed_at expires_at "
    "files_purged_at",
    "RenderLog": "object render_id logging request response logs attempts events created_at "
    "retained_until",
    "RenderError": _RENDER_ERROR,
    "RenderList": "object data has_more next_cursor",
    "RenderResult": "conformance metadata pages encrypted",
    "RenderWarning": "code message detail",
    "SkippedEmail": "code send_id",
    "SourceShown": _SOURCE,
    "StorageCredentials": "configured",
    "StorageReceipt": "destination_id status path etag bytes error",
    "StorageTargetSpec": "destination_id path keep_hosted_copy",
    "StorageDestination": "id object name provider path_template keep_hosted_copy is_default "
    "config credentials status last_error last_test_at last_test_status created_at updated_at",
    "StorageDestinationError": "at code message status",
    "StorageDestinationList": "object data has_more next_cursor",
    "StorageError": "code message status",
    "StorageTest": "object ok steps",
    "StorageTestStep": "name ok detail",
    "StorageUpload": "id object render_id file_id destination_id path attempts error",
    "Template": _TEMPLATE,
    "TemplateDraft": f"{_SOURCE} object template_id revision updated_at",
    "TemplateList": "object data has_more next_cursor",
    "TemplateSchema": "object template_id version declared schema_ dynamic_properties",
    "TemplateVersion": _VERSION,
    "TemplateVersionList": "object data has_more next_cursor",
    "TemplateVersionSource": f"{_VERSION} {_SOURCE}",
    "Usage": "object cycle days by_template by_format",
    "UsageByFormat": "format live test failed",
    "UsageByTemplate": "template_id live test failed",
    "UsageDay": "date live test failed",
    "UsageThreshold": "object kind threshold_percent included used prepaid_remaining "
    "spend_cap_cents cycle",
    "AnnouncedUpload": "id object filename content_type bytes sha256 status created_at expires_at "
    "upload",
    "Upload": "id object filename content_type bytes sha256 status created_at expires_at",
    "UploadForm": "url fields",
    "MissingGlyphs": "requested characters",
    "MissingAsset": "source reason",
    "UsedFont": "requested used",
    "VatBreakdown": "category rate taxable_amount tax_amount exemption_reason "
    "exemption_reason_code",
    "Timings": "queue_ms template_ms load_ms print_ms finish_ms validate_ms store_ms total_ms cold",
}
