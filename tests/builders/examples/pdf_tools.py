"""Examples of the PDF tools and their preflights."""

from collections.abc import Mapping
from typing import Any, Final

from tests.builders.examples.documents import protected_pdf, small_pdf
from tests.builders.examples.recorder import Recorder

_CONTENT: Final = {"source": {"content": small_pdf()}}
_PAGES: Final = {"source": {"content": small_pdf(3)}}
_TOOLS: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    "split": ("A file for each range", _PAGES | {"ranges": ["1-2", "3"]}),
    "extract-pages": ("The first and the last page", _PAGES | {"pages": "1,3"}),
    "delete-pages": ("Without the second page", _PAGES | {"pages": "2"}),
    "rotate": ("A quarter turn clockwise", _CONTENT | {"degrees": 90}),
    "reorder": ("The last page first", _PAGES | {"order": [3, 1, 2]}),
    "watermark": (
        "The word Draft across the page",
        _CONTENT | {"watermark": {"text": "Draft", "opacity": 0.2}},
    ),
    "stamp": (
        "Paid, at the top right",
        _CONTENT | {"stamp": {"text": "Paid", "position": "top-right", "color": "#b00020"}},
    ),
    "protect": (
        "A password to open it, and no printing",
        _CONTENT | {"user_password": "open-sesame", "permissions": {"print": False}},
    ),
    "unlock": (
        "Without its password",
        {"source": {"content": protected_pdf("open-sesame")}, "password": "open-sesame"},
    ),
    "metadata": (
        "Another title",
        _CONTENT | {"set": {"title": "Invoice 2026-0042", "author": "Acme GmbH"}},
    ),
    "attach": (
        "A table of the lines",
        _CONTENT
        | {
            "attachments": [
                {"filename": "lines.csv", "content": "dGV4dCxhbW91bnQKU3VwcG9ydCwxODAK"}
            ]
        },
    ),
    "flatten": ("A form as plain pages", {"source": {"content": small_pdf(form=True)}}),
    "fill-form": (
        "The field `name`",
        {"source": {"content": small_pdf(form=True)}, "fields": {"name": "Ada Lovelace"}},
    ),
    "compress": ("A PDF in fewer bytes", _CONTENT),
    "to-images": ("A PNG of each page", _PAGES | {"format": "png", "dpi": 72}),
    "to-text": ("The text of all pages", _PAGES),
    "pdfa": ("PDF/A-2b for the archive", _CONTENT | {"level": "2b"}),
    "validate": ("What it claims to be", _CONTENT),
}


def play_pdf_tools(recorder: Recorder) -> None:
    """Run each tool, and the preflight of each."""
    _merge(recorder)
    for tool, (summary, body) in _TOOLS.items():
        recorder.call(f"POST /v1/pdf-tools/{tool}", summary, body=body)
        recorder.call(f"POST /v1/pdf-tools/{tool}/preflight", summary, body=body)


def _merge(recorder: Recorder) -> None:
    parts = {"sources": [{"content": small_pdf()}, {"content": small_pdf()}]}
    merged = recorder.call(
        "POST /v1/pdf-tools/merge",
        "Two PDFs in the request",
        name="content",
        body=parts | {"filename": "both"},
    )
    again = {"sources": [{"render_id": merged["id"]}, *parts["sources"][:1]], "bookmarks": True}
    recorder.call(
        "POST /v1/pdf-tools/merge",
        "The PDF of a render, and another",
        name="render",
        shows_answer=False,
        body=again,
    )
    recorder.call("POST /v1/pdf-tools/merge/preflight", "Two PDFs in the request", body=parts)
