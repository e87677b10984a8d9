"""Texts of the page in its PDF: titles of the outline, metadata of its head, types of elements."""

import re
from typing import TYPE_CHECKING, Final

from chalicelib.engine.finishing.metadata import page_info
from chalicelib.engine.pdf.text.cross_reference_table import cross_reference_table
from chalicelib.engine.pdf.text.marked_elements import typed_objects
from chalicelib.engine.pdf.text.outline_titles import titled_objects
from chalicelib.engine.pdf.text.printed_objects import PrintedObjects, string_of_text

if TYPE_CHECKING:
    from chalicelib.engine.finishing.finisher import FinishingContext

_REFERENCES: Final = re.compile(rb"/(Root|Info|Outlines) ([0-9]+) 0 R")


def with_page_texts(content: bytes, finishing: "FinishingContext") -> bytes:
    """Return a document that only the browser has saved with the texts of its page."""
    texts = finishing.recorder.page_texts
    info = page_info(finishing.output.pdf.metadata, texts.metadata)
    if not texts.headings and not info and not texts.structure.marks:
        return content
    table = cross_reference_table(content)
    objects = PrintedObjects(content, table)
    references = dict(_REFERENCES.findall(table.trailer))
    catalog = objects.text_of(int(references[b"Root"]))
    references |= dict(_REFERENCES.findall(catalog))
    changed = dict[int, bytes]()
    if texts.headings and b"Outlines" in references:
        changed |= titled_objects(objects, int(references[b"Outlines"]), texts.headings)
    if info:
        number = int(references[b"Info"])
        entries = (b"\n%b %b" % (key.encode(), string_of_text(info[key])) for key in info)
        changed[number] = objects.text_of(number).removesuffix(b">>") + b"".join(entries) + b">>"
    if texts.structure.marks:
        changed |= typed_objects(content, objects, texts.structure)
    return objects.with_texts(changed)
