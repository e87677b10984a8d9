"""Embedded files of a PDF: in its names tree, and as associated files of the document."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import TYPE_CHECKING, Final

from chalicelib.contract.options.pdf import Attachment

if TYPE_CHECKING:
    import pikepdf

_INVOICE_DESCRIPTION: Final = "The invoice as data (EN 16931, Cross Industry Invoice)"


@dataclass(frozen=True, slots=True)
class InvoiceFile:
    """XML invoice to embed; the XMP metadata name `level` and `version`."""

    content: bytes
    filename: str
    relationship: str
    level: str
    version: str


def embed_files(
    document: "pikepdf.Pdf", attachments: Sequence[Attachment], contents: Sequence[bytes], date: str
) -> None:
    """Embed files with their contents; an equal name gets a number. `date` is a PDF date."""
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    present = document.Root.get("/AF", pikepdf.Array())
    # A copy: adding an attachment makes qpdf change the document's own list as well.
    associated = pikepdf.Array([present] if isinstance(present, pikepdf.Dictionary) else [*present])
    names = distinct_names(
        [attachment.filename for attachment in attachments], taken=document.attachments
    )
    for attachment, content, name in zip(attachments, contents, names, strict=True):
        file = pikepdf.AttachedFileSpec(
            document,
            content,
            filename=name,
            description=attachment.description or "",
            mime_type=attachment.content_type,
            creation_date=date,
            mod_date=date,
        )
        file.relationship = pikepdf.Name("/" + attachment.relationship)
        document.attachments[name] = file
        associated.append(file.obj)
    document.Root.AF = associated


def distinct_names(names: Sequence[str], *, taken: Iterable[str]) -> list[str]:
    """Return the names, numbered where one repeats an earlier or taken name in any case."""
    taken = {name.casefold() for name in taken}
    distinct = []
    for name in names:
        stem, dot, extension = name.rpartition(".")
        base_and_suffix = (stem, dot + extension) if stem else (name, "")
        numbered = (f"{base_and_suffix[0]}-{number}{base_and_suffix[1]}" for number in count(2))
        free_name = next(
            candidate for candidate in chain([name], numbered) if candidate.casefold() not in taken
        )
        taken.add(free_name.casefold())
        distinct.append(free_name)
    return distinct


def embed_invoice(document: "pikepdf.Pdf", invoice: InvoiceFile, date: str) -> None:
    """Embed the invoice as the only associated file. `date` is a PDF date."""
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    file = pikepdf.AttachedFileSpec(
        document,
        invoice.content,
        filename=invoice.filename,
        description=_INVOICE_DESCRIPTION,
        mime_type="text/xml",
        creation_date=date,
        mod_date=date,
    )
    file.relationship = pikepdf.Name("/" + invoice.relationship)
    document.attachments[invoice.filename] = file
    document.Root.AF = pikepdf.Array([file.obj])
