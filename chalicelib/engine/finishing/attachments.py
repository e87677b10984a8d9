"""Files inside the PDF: in its names tree, and bound to the document as associated files."""

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
    associated = pikepdf.Array()
    for attachment in options.attachments:
        file = pikepdf.AttachedFileSpec(
            document,
            finishing.resources[attachment.source],
            filename=attachment.filename,
            description=attachment.description or "",
            mime_type=attachment.content_type,
            creation_date=date,
            mod_date=date,
        )
        file.relationship = pikepdf.Name("/" + attachment.relationship)
        # The contract lets no two of them have one name.
        document.attachments[attachment.filename] = file
        associated.append(file.obj)
    document.Root.AF = associated


ATTACHMENTS: Final = Finisher(lambda finishing: bool(finishing.output.pdf.attachments), _attach)
