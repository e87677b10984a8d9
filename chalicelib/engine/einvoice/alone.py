"""An e-invoice without a page: its XML is the file, and no browser is needed."""

from typing import TYPE_CHECKING

from chalicelib.engine.conformance.asked import of_invoice
from chalicelib.engine.einvoice.ordered import prepared_for, written
from chalicelib.engine.einvoice.write_json import totals_json
from chalicelib.engine.job import Job, Outcome, Produced

if TYPE_CHECKING:
    from chalicelib.engine.course import Course


def xml_alone(job: Job, course: "Course") -> Outcome:
    """Write the e-invoice of a job; raises RenderFailure `einvoice_invalid`."""
    with course.told(), course.stage("finish_ms"):
        prepared = prepared_for(job)
        file = Produced("xml", written(prepared, course), "application/xml")
    filename = job.output.filename or prepared.filename
    totals = totals_json(prepared.totals)
    return Outcome(
        (file,),
        course.trace(),
        cold=False,
        filename=filename,
        invoice=totals,
        to_judge=(of_invoice(prepared, file.content),),
    )
