"""Output of a render: formats and their options (OutputSpec)."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field, ValidationError

from chalicelib.contract.faults import to_service_error
from chalicelib.contract.invoice.invoice import EInvoiceSpec
from chalicelib.contract.options import http, image
from chalicelib.contract.options.output import OutputOptions, WarningCode
from chalicelib.contract.options_model import OptionsModel
from chalicelib.contract.render.pdf import check_hybrid_invoice
from chalicelib.core import json
from chalicelib.core.json import JsonObject

FailOn = Annotated[
    list[WarningCode],
    Field(
        max_length=50,
        description="Codes of warnings that must not be: a render that has one of them fails with "
        "`render_failed`, which names it. A failed render is not billed. `storage_upload_failed` "
        "comes after the render has ended.",
    ),
]


def _check_output(output: OutputOptions) -> None:
    """Raise ValueError for members that do not go together, all of them."""
    messages = [*_format_conflicts(output)]
    if output.einvoice is not None and "pdf" in output.formats:
        try:
            check_hybrid_invoice(output.pdf)
        except ValueError as conflict:
            messages.append(str(conflict))
    if messages:
        raise ValueError("; ".join(messages))


def _format_conflicts(output: OutputOptions) -> Iterator[str]:
    named, formats = output.requested_formats or (), output.formats
    if len(set(named)) != len(named):
        yield "formats must not name one twice"
    if named and output.format not in {None, "zip"}:
        yield "format goes with formats only where it is zip"
    if "pdf" not in formats and (output.pdf.pdfa is not None or output.pdf.pdfua):
        yield "pdf.pdfa and pdf.pdfua need pdf among the formats"
    if output.einvoice is not None and not {"pdf", "xml"} & set(formats):
        yield "einvoice needs pdf or xml among the formats"


class Cookie(OptionsModel, of=http.Cookie):
    """A cookie for the page's own origin alone; `domain` is its host or one above that."""


class BasicAuth(OptionsModel, of=http.BasicAuth):
    """Credentials of HTTP Basic authentication."""


class HttpOptions(OptionsModel, of=http.HttpOptions):
    """Headers and credentials; they are sent to the page's own origin only."""


class FormatOptions(OptionsModel, of=image.FormatOptions):
    """Compression of a picture; an option that the format does not have gives a warning."""


class Viewport(OptionsModel, of=image.Viewport):
    """The window that the page sees while it is laid out."""


class Wait(OptionsModel, of=image.Wait):
    """Conditions to wait for before the page is printed; fonts and images are always awaited."""


class ImageOptions(OptionsModel, of=image.ImageOptions):
    """Options of a picture."""


class OutputSpec(OptionsModel, of=OutputOptions, check=_check_output):
    """The files to make."""

    einvoice: EInvoiceSpec | None = None
    fail_on: FailOn = Field(default=[])


def complete_output(partial_output: JsonObject) -> OutputOptions:
    """Return the options of a partial OutputSpec; raise `validation_error` below `/output`."""
    try:
        output = OutputSpec.model_validate_json(json.dumps(partial_output))
    except ValidationError as error:
        raise to_service_error(OutputSpec, error, partial_output, "/output") from None
    return output_options(output)


def output_options(output: OutputSpec) -> OutputOptions:
    """Return the typed options of a valid OutputSpec."""
    return OutputOptions.from_json(output.model_dump(mode="json"))
