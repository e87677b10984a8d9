"""Warnings about options, data and email rules that are not used."""

from collections.abc import Iterator, Mapping
from typing import Final

from chalicelib.contract.options.image import ImageOptions
from chalicelib.contract.options.output import OutputOptions
from chalicelib.contract.options.pdf import HeaderFooter, PdfOptions
from chalicelib.engine.context import RenderWarning
from chalicelib.engine.delivery.emails import EmailOmission
from chalicelib.engine.delivery.storage import StorageTargets
from chalicelib.engine.job import PageJob

_HEADER_FOOTER_FIELDS: Final = ("header", "footer", "first_header", "first_footer", "last_footer")
# Fields of PdfOptions that are compared under the names of the request's options.
_COMPOSITE_FIELDS: Final = frozenset(
    {*_HEADER_FOOTER_FIELDS, "page_size", "width", "height", "max_pages"}
)

_EMAIL_OMISSIONS: Final[Mapping[EmailOmission, str]] = {
    "plan": "the plan has no email delivery, growth and above do",
    "zero_retention": "with retention none there is no file to send",
}


def ignored_option_warnings(output: OutputOptions) -> Iterator[RenderWarning]:
    """Yield a warning for each ignored option whose value is not the default."""
    for name, reason in _ignored_pdf_options(output):
        yield _ignored_warning(f"pdf.{name}", reason)
    if not output.has_pictures:
        for name in _non_default_options(output.image):
            yield _ignored_warning(f"image.{name}", "only png, jpeg and webp have a use for it")
        return
    image = output.image
    if image.fit is not None and image.fit_size is None:
        yield _ignored_warning("image.fit", "it needs width and height")
    if image.full_page and image.clip_selector is not None:
        yield _ignored_warning("image.full_page", "clip_selector tells what is pictured")
    if image.is_transparent and "jpeg" in output.formats:
        yield _ignored_warning(
            "image.transparent", "a jpeg has no transparency; it is white instead"
        )
    for name, reason in _ignored_compression_options(output):
        yield _ignored_warning(f"image.format_options.{name}", reason)


def ignored_data_warnings(job: PageJob) -> Iterator[RenderWarning]:
    """Yield a warning where a job has data that it does not use."""
    if (job.data or job.data_url) and not job.uses_data:
        name = "data" if job.data_url is None else "data_url"
        message = f"{name} was ignored: there is no template, and no e-invoice, to be made with it"
        yield RenderWarning("feature_unavailable", message, name)


def skipped_email_warnings(job: PageJob) -> Iterator[RenderWarning]:
    """Yield a warning where the email rules of a job's template do not send."""
    if job.emails is not None and job.emails.omission is not None:
        reason = _EMAIL_OMISSIONS[job.emails.omission]
        message = f"The template's email rules do not send: {reason}. Send delivery.email false."
        yield RenderWarning(f"email_skipped_{job.emails.omission}", message, "delivery.email")


def skipped_storage_warnings(storage: StorageTargets | None) -> Iterator[RenderWarning]:
    """Yield a warning where the workspace's default destination gets no file."""
    if storage is not None and storage.omission is not None:
        message = (
            "The workspace's default storage destination gets no file: the plan has no storage "
            "destinations, starter and above do. Send delivery.storage []."
        )
        yield RenderWarning("storage_skipped_plan", message, "delivery.storage")


def _ignored_pdf_options(output: OutputOptions) -> Iterator[tuple[str, str]]:
    pdf = output.pdf
    if "pdf" not in output.formats:
        for name in _non_default_pdf_options(pdf):
            yield name, "only pdf has a use for it"
        return
    if pdf.accessibility_report and not pdf.tagged:
        yield "accessibility_report", "only a tagged document gets one"
    for name in _HEADER_FOOTER_FIELDS:
        part: HeaderFooter | None = getattr(pdf, name)
        if part is not None and part.has_content and not part.enabled:
            yield name, "it has content, but is not `enabled`"


def _non_default_pdf_options(pdf: PdfOptions) -> Iterator[str]:
    if pdf.is_continuous or pdf.paper_size != PdfOptions().paper_size:
        yield "page_size"
    # A variant that is not given equals the header or footer of every page.
    header, footer = pdf.header_footer.header, pdf.header_footer.footer
    variants = {
        "header": (header, None),
        "footer": (footer, None),
        "first_header": (pdf.first_page.header, header),
        "first_footer": (pdf.first_page.footer, footer),
        "last_footer": (pdf.last_page.footer, footer),
    }
    yield from (name for name, (variant, default) in variants.items() if variant != default)
    yield from (name for name in _non_default_options(pdf) if name not in _COMPOSITE_FIELDS)


def _ignored_compression_options(output: OutputOptions) -> Iterator[tuple[str, str]]:
    options, formats = output.image.compression, output.formats
    lossy = "jpeg" in formats or ("webp" in formats and not options.lossless)
    if options.quality is not None and not lossy:
        yield "quality", "only jpeg, and webp that is not lossless, have a use for it"
    if options.lossless and "webp" not in formats:
        yield "lossless", "only webp has a use for it"
    if options.progressive and "jpeg" not in formats:
        yield "progressive", "only jpeg has a use for it"


def _non_default_options(options: ImageOptions | PdfOptions) -> Iterator[str]:
    defaults = type(options)()
    for name in options.__struct_fields__:
        if getattr(options, name) != getattr(defaults, name):
            yield name


def _ignored_warning(name: str, reason: str) -> RenderWarning:
    message = f"output.{name} was ignored: {reason}"
    return RenderWarning("feature_unavailable", message, f"output.{name}")
