"""Rules of what UBL cannot tell apart."""

import re
from collections.abc import Iterator
from typing import Final

from chalicelib.engine.einvoice.model import Invoice
from chalicelib.engine.einvoice.rules_adjustments import Fault

# UBL has the subject code of a note in its text, between the first two number signs.
_SUBJECT: Final = re.compile("[^#]*#[^#]{3}#")


def ubl_faults(invoice: Invoice) -> Iterator[Fault]:
    """Yield what would be read as something else in UBL."""
    for n, note in enumerate(invoice.notes):
        if note.subject_code is None and _SUBJECT.match(note.text):
            message = "must not have three characters between # in UBL: they are a subject code"
            yield "BR-CL-08", f"notes[{n}].text", message
