"""From what a job says of an e-invoice to the invoice, read and computed."""

from typing import cast

from chalicelib.engine.einvoice.prepare import EInvoice, Prepared, invoice_at, prepare
from chalicelib.engine.einvoice.profiles import PROFILES, Syntax
from chalicelib.engine.job import Job


def prepared_for(job: Job) -> Prepared | None:
    """Return the e-invoice of a job whose data are there, if it has one.

    Raises RenderFailure `einvoice_invalid`.
    """
    order = job.einvoice
    if order is None:
        return None
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
