"""Finishing of a printed PDF: opened once, and only where a finisher changes it (decision 53)."""

import io
import os
import secrets
from collections.abc import Sequence
from copy import replace
from functools import partial
from typing import TYPE_CHECKING, BinaryIO, Final

from chalicelib.contract.options.pdf import Protection
from chalicelib.core.passwords import prepare_password
from chalicelib.engine.finishing.attachments import ATTACHMENTS, HYBRID_INVOICE
from chalicelib.engine.finishing.chromium_pdf import (
    cross_reference_table,
    make_deterministic,
    page_count,
)
from chalicelib.engine.finishing.finisher import PdfFinisher, document_date
from chalicelib.engine.finishing.form_fields import FORM_FIELDS
from chalicelib.engine.finishing.header_footer import HEADERS_FOOTERS
from chalicelib.engine.finishing.metadata import METADATA
from chalicelib.engine.finishing.pack_pdf import pack_objects
from chalicelib.engine.finishing.page_overlay import PAGE_OVERLAY
from chalicelib.engine.finishing.page_texts import with_page_texts
from chalicelib.engine.finishing.pdfa import CONFORMANCE
from chalicelib.engine.finishing.share_streams import may_share_streams, share_streams
from chalicelib.engine.finishing.tagging.untagged_outline import UNTAGGED_OUTLINE
from chalicelib.engine.finishing.test_mark import TEST_MARK
from chalicelib.engine.finishing.watermark import WATERMARK

if TYPE_CHECKING:
    import pikepdf

    from chalicelib.engine.finishing.finisher import FinishingContext


# The order matters: a later drawing lies over earlier ones, and metadata and conformance describe
# the whole document, so they come last.
FINISHERS: Final[tuple[PdfFinisher, ...]] = (
    *(UNTAGGED_OUTLINE, PAGE_OVERLAY, HEADERS_FOOTERS, FORM_FIELDS, WATERMARK, TEST_MARK),
    *(HYBRID_INVOICE, ATTACHMENTS, METADATA, CONFORMANCE),
)
# The browser writes PDF 1.4. Associated files and AES-256 encryption need a later version.
_MIN_PDF_VERSION: Final = "1.7"


def finish_pdf(printed: bytes, finishing: "FinishingContext") -> tuple[bytes, int]:
    """Return the document and its number of pages; the same request gives the same bytes.

    Raises RenderFailure `asset_fetch_failed` for a watermark that is no picture.
    """
    content = make_deterministic(printed, document_date(finishing.output.pdf.metadata))
    content = with_page_texts(content, finishing)
    unused: frozenset[int] = frozenset()
    if may_share_streams(content):
        content, unused = share_streams(content, cross_reference_table(content))
    if is_edited(finishing):
        return _edit_and_save(
            _applicable_finishers(finishing), replace(finishing, printed_pdf=content)
        )
    table = cross_reference_table(content)
    return pack_objects(content, table, unused), page_count(content, table)


def is_edited(finishing: "FinishingContext") -> bool:
    """Tell whether a finisher or encryption changes the document."""
    return bool(_applicable_finishers(finishing)) or finishing.output.pdf.protection is not None


def _applicable_finishers(finishing: "FinishingContext") -> Sequence[PdfFinisher]:
    return [finisher for finisher in FINISHERS if finisher.applies(finishing)]


def _edit_and_save(
    finishers: Sequence[PdfFinisher], finishing: "FinishingContext"
) -> tuple[bytes, int]:
    import pikepdf  # noqa: PLC0415 -- takes 0.2 s: only a process that opens PDFs pays

    protection, result = finishing.output.pdf.protection, io.BytesIO()
    mmap_only = pikepdf.AccessMode.mmap_only
    with (
        _memory_file(finishing.printed_pdf) as file,
        pikepdf.open(file, access_mode=mmap_only) as document,
    ):
        for finisher in finishers:
            finisher.apply(document, finishing)
        pages = len(document.pages)
        # A page has hundreds of small objects: in streams they have a tenth of the size and are
        # written faster.
        save = partial(
            document.save,
            result,
            min_version=_MIN_PDF_VERSION,
            object_stream_mode=pikepdf.ObjectStreamMode.generate,
        )
        if protection is None:
            # None of our XMP packets contains the PDF version.
            save(fix_metadata_version=False, deterministic_id=True)
        else:
            save(encryption=pdf_encryption(protection))
    return result.getvalue(), pages


def _memory_file(content: bytes) -> BinaryIO:
    """Return content as a file in memory.

    qpdf reads objects from a memory-mapped file a third faster than from bytes.
    """
    file = os.fdopen(os.memfd_create("pdf"), "w+b")
    file.write(content)
    file.seek(0)
    return file


def pdf_encryption(protection: Protection) -> "pikepdf.Encryption":
    """Return the encryption settings of the document.

    Without an owner password a random one is set: an empty one would open the document for
    everybody. A password is prepared as readers prepare a typed one.
    """
    import pikepdf  # noqa: PLC0415 -- see _edit_and_save

    allowed = protection.permissions
    return pikepdf.Encryption(
        owner=prepare_password(protection.owner_password or secrets.token_urlsafe(32)),
        user=prepare_password(protection.user_password) if protection.user_password else "",
        R=6,
        allow=pikepdf.Permissions(
            accessibility=True,
            extract=allowed.copy_,
            modify_annotation=allowed.annotate,
            modify_form=allowed.annotate,
            modify_assembly=allowed.modify,
            modify_other=allowed.modify,
            print_lowres=allowed.print,
            print_highres=allowed.print,
        ),
    )
