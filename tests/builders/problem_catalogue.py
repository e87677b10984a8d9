"""Owners of problem codes in the product, and requests that provoke codes of the browser."""

from typing import Any, Final

PRODUCT_OWNERS: Final = frozenset(
    {
        "api",
        "workspaces",
        "renders",
        "batches",
        "files",
        "uploads",
        "templates",
        "schemas",
        "canvas",
        "conformance",
        "signed_links",
    }
)
_TEXT: Final = {"type": "text", "x": 0, "y": 0, "width": 60, "height": 20}


def _scene_request(**layer: Any) -> dict[str, Any]:
    scene = {"width": 90, "height": 60, "layers": [_TEXT | layer]}
    return {"scene": scene, "data": {"list": [1]}, "output": {"format": "png"}}


# By code: a request to the engine that fails with it.
BROWSER_ERRORS: Final[dict[str, dict[str, Any]]] = {
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
    "data_invalid": _scene_request(bind="absent", required=True),
}

# A template's default that goes into no file, for an invoice that is none.
_SKIPPED_INVOICE: Final = {
    "html": "<p>",
    "data": {"invoice": {}},
    "einvoice_default": {
        "einvoice": {"profile": "EN16931", "invoice_path": "invoice"},
        "omission": "plan",
    },
}


# By code: a request to the engine that is warned of it.
BROWSER_WARNINGS: Final[dict[str, dict[str, Any]]] = {
    "asset_failed": {"html": "<img src='{allowed}/missing'>"},
    "glyph_missing": {"html": "<p>&#x13000;"},
    "navigation_stopped": {"html": "<script>location = 'https://example.com/'</script>"},
    "link_broken": {"html": "<a href='#gone'>x</a>"},
    "content_clipped": {"html": "<div style='width: 1200px'>x"},
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
    "font_fallback_used": _scene_request(text="x", font_family="Papyrus"),
    "data_coerced": _scene_request(text="x", bind="list", fallback="y"),
    "data_unused": {**_scene_request(text="x"), "data": {"title.text": "y"}},
    "text_overflow": _scene_request(text="x " * 500, overflow="ellipsis"),
    "script_failed": {"html": "<script>gone()</script>"},
    "placeholder_left": {"html": "<p>{{ gone }}"},
    "undefined_value": {"html": "<p>{{ gone }}", "templating": True, "data": {}},
    "einvoice_skipped_plan": _SKIPPED_INVOICE,
    "invoice_totals_unavailable": _SKIPPED_INVOICE,
}
# Warnings of delivery: functional tests of emails and of storage provoke them.
DELIVERY_WARNINGS: Final = frozenset(
    (
        "storage_upload_failed",
        "storage_skipped_plan",
        "email_skipped_plan",
        "email_skipped_zero_retention",
    )
)
