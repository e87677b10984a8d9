"""Marks of elements that the browser prints without a type of their own: `dl` and MathML.

While the page is printed, each has the role and the name of a picture, as only pictures keep their
name in the PDF. pdf/text/marked_elements.py finds the names and writes the types.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.tab.tab import Tab
from chalicelib.engine.pdf.text.marked_elements import MarkKind, StructureMark, StructureMarks

MAX_MARKS: Final = 20_000
MAX_FORMULA_CHARS: Final = 2_000
# Expression for a script that defines `own`: whether there is something to mark.
HAS_MARKABLE: Final = "Document.prototype.querySelector.call(document, 'dl, math') !== null"
_UNMARK: Final = PageFunction[None]("() => globalThis.platenUnmarkStructure?.()")


@contextmanager
def structure_marks(tab: Tab, *, is_tagged: bool) -> Iterator[StructureMarks]:
    """Mark the elements meanwhile, if the document is tagged and has some.

    Raises RenderFailure `render_timeout`.
    """
    if not is_tagged or not tab.has_feature("hasMarkable"):
        yield StructureMarks()
        return
    # The text of a document is none of the names; only its scripts may see them.
    prefix = f"mark-{secrets.token_hex(8)}-"
    called = tab.call_function(_mark_script(), prefix, MAX_MARKS, MAX_FORMULA_CHARS)
    try:
        found = tab.outcome(called)["result"].get("value") or []
    except RenderFailure as failure:
        # A document without these tags is still one; a timeout fails it.
        if failure.code != "render_failed":
            raise
        found = []
    yield StructureMarks(prefix, [StructureMark(kind, text) for kind, text in found])
    tab.outcome(tab.call_function(_UNMARK))


@cache
def _mark_script() -> PageFunction[list[tuple[MarkKind, str]] | None]:
    return PageFunction(Path(__file__).with_name("structure_marks.js").read_text())
