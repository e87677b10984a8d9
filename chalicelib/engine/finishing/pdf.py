"""From the printed PDF to the finished one: opened once, and only where something is to be done."""

import io
import os
from collections.abc import Sequence
from copy import replace
from typing import TYPE_CHECKING, BinaryIO, Final

from chalicelib.engine.finishing.attachments import ATTACHMENTS
from chalicelib.engine.finishing.bands import BANDS
from chalicelib.engine.finishing.dates import moment_of
from chalicelib.engine.finishing.finisher import Finisher
from chalicelib.engine.finishing.hybrid import HYBRID
from chalicelib.engine.finishing.metadata import METADATA
from chalicelib.engine.finishing.pdfa import CONFORMANCE
from chalicelib.engine.finishing.printed import pages_of, repeatable, with_id
from chalicelib.engine.finishing.protection import encryption_of
from chalicelib.engine.finishing.stamp import WATERMARK
from chalicelib.engine.finishing.watermark import TEST_WORD

if TYPE_CHECKING:
    from chalicelib.engine.formats.format import Finishing

# In this order: what is drawn later lies over what was drawn before, and what the document says of
# itself must be true of all of it.
FINISHERS: Final[tuple[Finisher, ...]] = (
    *(BANDS, WATERMARK, TEST_WORD),
    *(HYBRID, ATTACHMENTS, METADATA, CONFORMANCE),
)
# Files with a relationship, and encryption, are younger than what the browser writes.
_VERSION: Final = "1.7"


def finish_pdf(printed: bytes, finishing: "Finishing") -> tuple[bytes, int]:
    """Return the document and its number of pages; the same request gives the same bytes.

    Raises RenderFailure `asset_fetch_failed` for a watermark that is no picture.
    """
    content = repeatable(printed, moment_of(finishing.output.pdf.metadata))
    pages = pages_of(content)
    if is_opened(finishing):
        return _opened(_due(finishing), replace(finishing, printed=content))
    return with_id(content), pages


def is_opened(finishing: "Finishing") -> bool:
    """Tell whether something is to be put on or into the document."""
    return bool(_due(finishing)) or finishing.output.pdf.protection is not None


def _due(finishing: "Finishing") -> Sequence[Finisher]:
    return [finisher for finisher in FINISHERS if finisher.applies(finishing)]


def _opened(due: Sequence[Finisher], finishing: "Finishing") -> tuple[bytes, int]:
    import pikepdf  # noqa: PLC0415 -- 0.2 s that a process which prints nothing need not pay

    protection, result = finishing.output.pdf.protection, io.BytesIO()
    mapped = pikepdf.AccessMode.mmap_only
    with _in_memory(finishing.printed) as file, pikepdf.open(file, access_mode=mapped) as document:
        for finisher in due:
            finisher.apply(document, finishing)
        pages = len(document.pages)
        if protection is None:
            # Hundreds of small objects a page: together they are a tenth of the size, and sooner
            # written.
            packed = pikepdf.ObjectStreamMode.generate
            document.save(
                result,
                min_version=_VERSION,
                # It stands in none of ours.
                fix_metadata_version=False,
                deterministic_id=True,
                object_stream_mode=packed,
            )
        else:
            document.save(result, min_version=_VERSION, encryption=encryption_of(protection))
    return result.getvalue(), pages


def _in_memory(content: bytes) -> BinaryIO:
    """Return content as a file: out of one that is mapped, qpdf reads objects a third sooner."""
    file = os.fdopen(os.memfd_create("pdf"), "w+b")
    file.write(content)
    file.seek(0)
    return file
