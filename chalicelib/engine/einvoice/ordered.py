"""From what a job says of an e-invoice to the invoice, read and computed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, cast

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.conformance.asked import of_invoice
from chalicelib.engine.einvoice.prepare import EInvoice, Prepared, invoice_at, prepare
from chalicelib.engine.einvoice.profiles import PROFILES, Syntax
from chalicelib.engine.einvoice.write_json import totals_json
from chalicelib.engine.finishing.hybrid import InvoiceFile
from chalicelib.engine.job import Job, ToJudge

if TYPE_CHECKING:
    from chalicelib.engine.course import Course

_SKIPPED: Final = (
    "The PDF carries no e-invoice: the template has one, and the workspace's plan has none. Send "
    "output.einvoice null, or change the plan."
)
_UNMARKED: Final = (
    "The profile {} has no place for the note that marks test documents: nothing in the XML tells "
    "that it is a test. Choose another profile where that must be told."
)


@dataclass(frozen=True, slots=True)
class Invoiced:
    """What follows from a job's e-invoice; `embedded` None: it goes into no file."""

    totals: Mapping[str, Any]
    embedded: InvoiceFile | None
    to_judge: tuple[ToJudge, ...] = ()


def invoiced(job: Job, course: "Course") -> tuple[Job, Invoiced | None]:
    """Return a job whose data are there with its e-invoice as `invoice` of them.

    Raises RenderFailure `einvoice_invalid`; one that is not written is a warning instead.
    """
    order = job.einvoice
    assert order is not None, "there is no e-invoice"
    if order.skipped_by_plan:
        course.warn("einvoice_skipped_plan", _SKIPPED, "output.einvoice")
    try:
        prepared = prepared_for(job)
    except RenderFailure as failure:
        if order.written:
            raise
        message = f"The template's e-invoice could not be computed: {failure.detail}"
        course.warn("invoice_totals_unavailable", message, order.root)
        return job, None
    job = replace(job, data={**(job.data or {}), "invoice": prepared.completed})
    totals = totals_json(prepared.totals)
    if not order.written:
        return job, Invoiced(totals, None)
    file = _embedded(prepared, course)
    return job, Invoiced(totals, file, (of_invoice(prepared, file.content),))


def prepared_for(job: Job) -> Prepared:
    """Return the e-invoice of a job whose data are there; raises RenderFailure."""
    order = job.einvoice
    assert order is not None, "there is no e-invoice"
    source = order.invoice if order.path is None else invoice_at(job.data or {}, order.path)
    return prepare(
        EInvoice(
            profile=PROFILES[order.profile],
            syntax=cast("Syntax", order.syntax),
            source=source,
            root=order.root,
            test=job.test,
        )
    )


def written(prepared: Prepared, course: "Course") -> bytes:
    """Return the XML of an invoice; that a test is not marked as one there is a warning."""
    profile = prepared.asked.profile
    if prepared.asked.test and not profile.has_notes:
        course.warn("feature_unavailable", _UNMARKED.format(profile.name), prepared.asked.root)
    return prepared.xml()


def _embedded(prepared: Prepared, course: "Course") -> InvoiceFile:
    """Return the invoice as the file that a PDF carries, named as its profile wants it."""
    profile = prepared.asked.profile
    return InvoiceFile(
        content=written(prepared, course),
        filename=profile.file_name,
        relationship=profile.relationship,
        level=profile.xmp_level,
        version=profile.xmp_version,
    )
