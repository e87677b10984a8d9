"""Output options by default: rows leave them out (decision 4).

A test compares them with the contract. They are data here because the functions that read rows do
not load the contract.
"""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Final

type Options = Mapping[str, Any]

_DEFAULTS: Final[Options] = {
    "format": "pdf",
    "formats": None,
    "filename": None,
    "pdf": {
        "page_size": "A4",
        "width": None,
        "height": None,
        "landscape": False,
        "margin": {"top": "10mm", "right": "10mm", "bottom": "10mm", "left": "10mm"},
        "scale": 1.0,
        "page_ranges": None,
        "print_background": True,
        "prefer_css_page_size": True,
        "header": {"enabled": False},
        "footer": {"enabled": False},
        "first_header": None,
        "first_footer": None,
        "last_footer": None,
        "page_number_start": 1,
        "tagged": True,
        "outline": False,
        "accessibility_report": False,
        "pdfa": None,
        "pdfua": False,
        "metadata": {
            "title": None,
            "author": None,
            "subject": None,
            "keywords": None,
            "language": None,
            "created_at": None,
        },
        "attachments": [],
        "protection": None,
        "watermark": None,
        "max_pages": None,
    },
    "einvoice": None,
    "image": {
        "width": None,
        "height": None,
        "scale": None,
        "fit": None,
        "full_page": None,
        "omit_background": None,
        "transparent": None,
        "clip_selector": None,
        "format_options": None,
        "viewport": None,
        "wait": None,
    },
    "http": {"headers": [], "cookies": [], "basic_auth": False, "user_agent": None},
    "viewport": None,
    "wait": {
        "until": "load",
        "selector": None,
        "expression": None,
        "delay_ms": 0,
        "timeout_ms": 10_000,
    },
    "media": None,
    "javascript": True,
    "locale": None,
    "timezone": None,
    "strict_undefined": False,
    "asset_policy": "lenient",
}


def output_differences(output: Options) -> Options | None:
    """Return the options that differ from their defaults; None if some have been left out."""
    differences = _differences(output, _DEFAULTS)
    return differences if with_defaults(differences) == output else None


def with_defaults(differences: Options) -> Options:
    """Return the output that `output_differences` was given."""
    return _merge(differences, _DEFAULTS)


def _differences(value: Options, defaults: Options) -> Options:
    found: dict[str, object] = {}
    for name, member in value.items():
        default = defaults.get(name)
        if isinstance(member, dict) and isinstance(default, dict):
            if member != default:
                found[name] = _differences(member, default)
        elif member != default or name not in defaults:
            found[name] = member
    return found


def _merge(differences: Options, defaults: Options) -> Options:
    merged: dict[str, object] = dict(differences)
    for name, default in defaults.items():
        if name not in differences:
            merged[name] = deepcopy(default)
        elif isinstance(default, dict) and isinstance(differences[name], dict):
            merged[name] = _merge(differences[name], default)
    return merged
