"""Jobs of the engine, kind by kind, and their outcomes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from chalicelib.contract.options.assets import PageAsset
from chalicelib.contract.options.output import EInvoiceOptions, OutputOptions, WarningCode
from chalicelib.contract.options.pdf import ContentSource, Watermark
from chalicelib.contract.options.pdf_tools import AnyToolOptions, PdfSource
from chalicelib.core.errors import RenderFailure
from chalicelib.core.json import JsonObject, OpaqueObject, strings_in
from chalicelib.engine.context import JobContext, RenderedFile, RenderTrace, RenderWarning
from chalicelib.engine.delivery.emails import EmailRules, RenderedEmail
from chalicelib.engine.delivery.storage import RenderedPath, StorageTargets
from chalicelib.engine.einvoice.profiles import Syntax
from chalicelib.engine.sources import Source
from chalicelib.engine.sources.source_document import SourceDocument, SourceInputs
from chalicelib.engine.sources.url import UrlSource
from chalicelib.engine.templating.includes import Includes
from chalicelib.engine.templating.template_runner import TemplateRunner

if TYPE_CHECKING:
    from chalicelib.engine.conformance.checks import ValidationRequest

# Why no file has the e-invoice of a template: its plan has none, or there is no PDF and no XML.
type Omission = Literal["plan", "no_pdf"]


class EInvoiceCommand(NamedTuple):
    """E-invoice to write: the object at `data_path` of the data, or else `invoice`.

    `findings_root` is the JSON path of the invoice in the caller's request; findings begin with it.
    With `is_written` False it is a template's default that goes into no file: the render only warns
    about the consequences.
    """

    profile: str
    syntax: Syntax
    invoice: JsonObject | None
    data_path: str | None
    findings_root: str
    is_written: bool = True
    is_skipped_by_plan: bool = False


class EInvoiceDefault(msgspec.Struct, frozen=True):
    """E-invoice of a template's options that no file carries, and why."""

    einvoice: EInvoiceOptions
    omission: Omission


class PageJob(msgspec.Struct, frozen=True, tag_field="kind", tag="page"):
    """Files to make of one page.

    The data are `data`, or the JSON object at `data_url`. `schema` is the template's JSON Schema of
    them. `includes` are the templates that the job's templates may include. `data_pointer` is where
    `data` stand in the request if nobody has checked them yet (JSON Pointer). `assets` are the
    files that the document names by relative addresses.
    """

    source: Source
    output: OutputOptions = OutputOptions()
    data: OpaqueObject | None = None
    data_url: str | None = None
    schema: OpaqueObject | None = None
    includes: Includes = Includes()
    einvoice_default: EInvoiceDefault | None = None
    data_pointer: str | None = None
    emails: EmailRules | None = None
    storage: StorageTargets | None = None
    assets: tuple[PageAsset, ...] = ()

    @property
    def einvoice(self) -> EInvoiceCommand | None:
        """Return the e-invoice to write, or None."""
        if self.output.einvoice is not None:
            return _einvoice_command(self.output.einvoice, self.output.einvoice.invoice)
        default = self.einvoice_default
        if default is None:
            return None
        return _einvoice_command(default.einvoice, None)._replace(
            is_written=False, is_skipped_by_plan=default.omission == "plan"
        )

    @property
    def fail_on(self) -> tuple[WarningCode, ...]:
        """Return the codes of warnings that fail the render."""
        return self.output.fail_on

    @property
    def uses_data(self) -> bool:
        """Tell whether the job uses its data."""
        has_templates = self.source.has_templates or (
            self.storage is not None and self.storage.has_templates
        )
        return has_templates or self.einvoice is not None

    @property
    def has_page_to_check(self) -> bool:
        """Tell whether a preflight can show something: a document, or headers and footers."""
        if not isinstance(self.source, UrlSource):
            return self.source.has_document
        return "pdf" in self.output.formats and self.output.pdf.has_header_footer

    def document(self, context: JobContext, templates: TemplateRunner) -> SourceDocument:
        """Return the document to load; the data must be loaded. Raises as that of its source."""
        inputs = SourceInputs(self.data or {}, self.includes, self.output, self._texts)
        return self.source.document(inputs, context, templates)

    def _texts(self) -> Iterator[str]:
        """Yield all texts that may name data: also those of the output and of the delivery."""
        yield from self.includes.sources.values()
        for part in (self.source, self.output, self.einvoice_default, self.emails, self.storage):
            yield from strings_in(msgspec.to_builtins(part))


class InvoiceJob(msgspec.Struct, frozen=True, tag_field="kind", tag="einvoice"):
    """XML of one e-invoice, without a page."""

    profile: str
    syntax: Syntax
    invoice: OpaqueObject
    filename: str | None = None
    storage: StorageTargets | None = None
    fail_on: tuple[WarningCode, ...] = ()

    @property
    def einvoice(self) -> EInvoiceCommand:
        """Return the e-invoice to write."""
        return EInvoiceCommand(self.profile, self.syntax, self.invoice, None, "invoice")


class PdfToolJob(msgspec.Struct, frozen=True, tag_field="kind", tag="pdf_tool"):
    """Files that a PDF tool makes of PDFs.

    `max_pages` holds for each source and each file. `file_keys` are the object keys of the files of
    renders that the job names, by their ids; `names` are those of the files of sources, by JSON
    Pointer, where they are needed and known. `mark` is the printed text or picture of a watermark
    or stamp, once there is one: a PDF of one page.
    """

    options: AnyToolOptions
    sources: tuple[PdfSource, ...]
    max_pages: int
    filename: str | None = None
    file_keys: Mapping[str, str] = {}
    names: Mapping[str, str] = {}
    mark: bytes | None = None
    storage: StorageTargets | None = None
    fail_on: tuple[WarningCode, ...] = ()

    @property
    def einvoice(self) -> None:
        """Return None, as no tool writes an e-invoice."""

    def pdf_sources(self) -> dict[str, PdfSource]:
        """Return the PDFs by their JSON Pointers in the request."""
        if self.options.tool == "merge":
            return {f"/sources/{n}": source for n, source in enumerate(self.sources)}
        if self.options.tool == "compare":
            return dict(zip(("/from", "/to"), self.sources, strict=True))
        (source,) = self.sources
        return {"/source": source}

    def contents(self) -> dict[str, PdfSource | ContentSource]:
        """Return all that the tool reads, by JSON Pointer; without the picture of its mark."""
        return {**self.pdf_sources(), **self.options.resources}

    def named_contents(self) -> dict[str, PdfSource | ContentSource]:
        """Return all that the request names, by JSON Pointer."""
        mark = self.options.mark
        if mark is None or mark.image is None:
            return self.contents()
        return {**self.contents(), f"/{self.options.tool}/image": mark.image}


class MarkJob(msgspec.Struct, frozen=True, tag_field="kind", tag="mark"):
    """Page with a text or picture alone, which a PDF tool draws; `pointer` is its JSON Pointer."""

    mark: Watermark
    pointer: str


# What a render makes. The union grows by a class and its runner (engine/render_engine.py, or a
# function of its own).
type Job = PageJob | InvoiceJob | PdfToolJob
# What the engine runs: it has the browser.
type EngineJob = PageJob | InvoiceJob | MarkJob


class LintOutcome(NamedTuple):
    """Failures and warnings of a job's templates."""

    failures: Sequence[RenderFailure] = ()
    warnings: Sequence[RenderWarning] = ()


class RenderOutcome(NamedTuple):
    """All files of a job and its trace.

    `filename` is the caller's, after its template ran. `invoice_totals` are those of the e-invoice
    among the files. `result` is the conformance report, once `validation_requests` are answered, or
    what a document says of itself. `emails` are those of the job's rules, in their order;
    `storage_paths` those of the files at each storage target, target by target.
    """

    files: tuple[RenderedFile, ...]
    trace: RenderTrace
    is_cold_start: bool
    filename: str | None = None
    invoice_totals: OpaqueObject | None = None
    validation_requests: "tuple[ValidationRequest, ...]" = ()
    result: OpaqueObject | None = None
    emails: tuple[RenderedEmail, ...] = ()
    storage_paths: tuple[RenderedPath, ...] = ()

    def with_trace_before(self, trace: RenderTrace) -> "RenderOutcome":
        """Return the outcome of a job whose first part has this trace."""
        timings = dict(self.trace.timings)
        for stage, spent_ms in trace.timings.items():
            timings[stage] = timings.get(stage, 0) + spent_ms
        warnings = (*trace.warnings, *self.trace.warnings)
        return self._replace(trace=self.trace._replace(warnings=warnings, timings=timings))


def _einvoice_command(options: EInvoiceOptions, invoice: JsonObject | None) -> EInvoiceCommand:
    path = options.invoice_path
    root = "output.einvoice.invoice" if path is None else f"data.{path}"
    return EInvoiceCommand(options.profile, "cii", invoice, path, root)
