"""Files inside the PDF: in its names tree, and bound to the document as associated files."""

from collections.abc import Iterable, Sequence
from itertools import chain, count
from typing import TYPE_CHECKING, Final

from chalicelib.engine.finishing.dates import moment_of, pdf_date
from chalicelib.engine.finishing.finisher import Finisher

if TYPE_CHECKING:
    import pikepdf

    from chalicelib.engine.formats.format import Finishing


def _attach(document: "pikepdf.Pdf", finishing: "Finishing") -> None:
    import pikepdf  # noqa: PLC0415 -- only a document that is opened needs it

    options = finishing.output.pdf
    date = pdf_date(moment_of(options.metadata))
    # A list of its own: qpdf puts files into the document's as well.
    associated = pikepdf.Array([*document.Root.get("/AF", [])])
    names = _distinct(
        [attachment.filename for attachment in options.attachments], taken=document.attachments
    )
    for attachment, name in zip(options.attachments, names, strict=True):
        file = pikepdf.AttachedFileSpec(
            document,
            finishing.resources[attachment.source],
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


def _distinct(names: Sequence[str], *, taken: Iterable[str]) -> list[str]:
    """Return the names with a number in those that have come before, whatever their case."""
    taken = {name.casefold() for name in taken}
    distinct = []
    for name in names:
        stem, dot, extension = name.rpartition(".")
        parts = (stem, dot + extension) if stem else (name, "")
        numbered = (f"{parts[0]}-{number}{parts[1]}" for number in count(2))
        free = next(one for one in chain([name], numbered) if one.casefold() not in taken)
        taken.add(free.casefold())
        distinct.append(free)
    return distinct


ATTACHMENTS: Final = Finisher(lambda finishing: bool(finishing.output.pdf.attachments), _attach)
