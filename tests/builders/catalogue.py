"""Which owners of codes and warnings are in the product, and what only a browser can provoke."""

from typing import Any, Final

IN_THE_PRODUCT: Final = frozenset(
    {"api", "workspaces", "renders", "files", "uploads", "templates", "schemas", "conformance"}
)

# By code: a request to the engine that fails with it.
IN_A_BROWSER: Final[dict[str, dict[str, Any]]] = {
    "template_syntax_error": {"html": "{{", "templating": True},
    "template_runtime_error": {"html": "{{ 1 / 0 }}", "templating": True},
    "template_fuel_exhausted": {
        "html": "{% for i in range(4900000) %}{{ i }}{% endfor %}",
        "templating": True,
    },
    "url_not_allowed": {"url": "http://169.254.169.254/latest/meta-data/"},
    "navigation_failed": {"url": "{allowed}/missing"},
    "wait_timeout": {"html": "<p>", "output": {"wait": {"selector": "#no", "timeout_ms": 300}}},
    "asset_fetch_failed": {
        "html": "<img src='{allowed}/missing'>",
        "output": {"asset_policy": "strict"},
    },
    "data_url_fetch_failed": {
        "html": "{{ a }}",
        "templating": True,
        "data_url": "{allowed}/missing",
    },
    "attachment_failed": {
        "html": "<p>",
        "output": {"pdf": {"attachments": [{"url": "{allowed}/missing", "filename": "a"}]}},
    },
    "render_failed": {"html": "<p>", "output": {"wait": {"selector": "p["}}},
}

# By code: a request to the engine that is warned of it.
WARNED: Final[dict[str, dict[str, Any]]] = {
    "asset_failed": {"html": "<img src='{allowed}/missing'>"},
    "slow_asset": {"html": "<img src='{allowed}/slow.png'>"},
    "header_footer_overlap": {
        "html": "<p>",
        "output": {
            "pdf": {"header": {"enabled": True, "html": "<div style='height: 50mm'>x</div>"}}
        },
    },
    "locale_unsupported": {"html": "<p>", "output": {"locale": "zz-ZZ-abcdefgh"}},
    "feature_unavailable": {
        "html": "<p>",
        "output": {"format": "png", "image": {"format_options": {"quality": 5}}},
    },
}
# Warnings of features that are not in the product yet.
LATER_WARNINGS: Final = frozenset(
    (
        "font_fallback_used",
        "data_coerced",
        "text_overflow",
        "storage_upload_failed",
        "einvoice_skipped_plan",
        "storage_skipped_plan",
        "email_skipped_plan",
        "email_skipped_zero_retention",
        "invoice_totals_unavailable",
    )
)
