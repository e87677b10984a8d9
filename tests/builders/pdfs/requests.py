"""Requests of all PDF tools over small documents."""

from collections.abc import Mapping
from typing import Any, Final

from tests.builders.pdfs.plain import as_source, pdf

# Options of each tool that fit a document of three pages, which has a field `name` for `fill-form`.
TOOL_OPTIONS: Final[Mapping[str, Mapping[str, Any]]] = {
    "merge": {},
    "split": {},
    "extract-pages": {"pages": "1,3"},
    "delete-pages": {"pages": "2"},
    "rotate": {"degrees": 90},
    "reorder": {"order": [3, 1, 2]},
    "watermark": {"watermark": {"text": "Draft"}},
    "stamp": {"stamp": {"text": "Paid", "position": "top-right"}},
    "protect": {"user_password": "secret"},
    "unlock": {},
    "metadata": {"set": {"title": "A title"}},
    "attach": {"attachments": [{"content": "QQ==", "filename": "a.txt"}]},
    "flatten": {},
    "fill-form": {"fields": {"name": "Ada"}},
    "compress": {},
    "to-images": {"dpi": 72},
    "to-text": {},
    "pdfa": {},
    "validate": {},
}
# Formats of the files that come out.
TOOL_FILES: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(TOOL_OPTIONS, ("pdf",)),
    "split": ("pdf",) * 3,
    "to-images": ("png",) * 3,
    "to-text": ("txt",),
    "validate": (),
}


def tool_request(tool: str, content: bytes | None = None, **more: Any) -> dict[str, Any]:
    """Return the body of a request of a tool."""
    source = as_source(pdf(3, field="name") if content is None else content)
    sources = {"sources": [source, source]} if tool == "merge" else {"source": source}
    return {**sources, **TOOL_OPTIONS[tool], **more}
