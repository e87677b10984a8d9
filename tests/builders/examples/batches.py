"""Examples of batches."""

from typing import Any

from chalicelib.features.batches.cancel import CancelBatch
from tests.builders.examples.documents import DATA, OTHER_DATA
from tests.builders.examples.recorder import Recorder
from tests.builders.examples.service import FAULTY_NUMBER, ExampleService
from tests.builders.uploads import post_upload

_CSV = b"number,customer.name,total,_reference\n2026-0042,B\xc3\xa4ckerei Lindner,229,4711\n"


def play_batches(recorder: Recorder, template: str) -> None:
    """Make batches, read them and their items, retry, cancel, and send emails again."""
    service = recorder.service
    made = recorder.call(
        "POST /v1/batches",
        "Two invoices, and one PDF of both",
        name="items",
        body={
            "template_id": template,
            "items": [
                {"data": DATA, "filename": "2026-0042", "reference": "4711"},
                {"data": OTHER_DATA | {"number": FAULTY_NUMBER}, "reference": "4712"},
            ],
            "combine": {"zip": True, "zip_filename": "invoices-march.zip"},
            "reference": "march",
        },
    )
    batch = made["id"]
    service.refuse_next_email()
    service.run_batches()
    service.deliver_emails()
    _read_batches(recorder, batch, template)
    recorder.call("POST /v1/batches/{id}/retry-failed", id=batch)
    service.run_batches()
    recorder.call(
        "POST /v1/batches/{id}/resend-emails",
        "Emails that failed",
        id=batch,
        body={"statuses": ["failed"]},
    )
    upload = post_upload(service, _CSV, name="invoices.csv", kind="text/csv").json["id"]
    late = recorder.call(
        "POST /v1/batches",
        "Invoices of a CSV file, with a webhook",
        name="csv",
        body={
            "template_id": template,
            "csv_upload_id": upload,
            "csv_mapping": {"number": "number", "customer.name": "customer.name", "total": "total"},
            "delivery": {"email": False},
            "webhook": {
                "url": "https://hooks.acme.example/platen",
                "events": ["batch.completed"],
            },
        },
    )
    _let_batches_end(service)
    recorder.call("POST /v1/batches/{id}/cancel", id=late["id"])


def _read_batches(recorder: Recorder, batch: str, template: str) -> None:
    recorder.call("GET /v1/batches/{id}", id=batch)
    recorder.call("GET /v1/batches/{id}/items", id=batch, query={"limit": 20})
    recorder.parameters("GET /v1/batches/{id}/items", {"status": "failed"})
    for route in ("GET /v1/renders", "GET /v1/email-sends"):
        recorder.parameters(route, {"batch_id": batch})
    query: dict[str, Any] = {"status": "completed", "template_id": template}
    query |= {"reference": "march", "test": False, "limit": 20}
    recorder.call("GET /v1/batches", query=query)


def _let_batches_end(service: ExampleService) -> None:
    """Release what a canceled batch still has while a request waits for that."""

    def wait(seconds: float) -> None:
        service.clock.advance(seconds=seconds)
        service.release_batches()

    batches = service.services.batches
    batches.__dict__["cancel"] = CancelBatch(
        batches=service.services.state.batch_stores.batches,
        wake=batches.wake,
        sleep=wait,
        clock=service.clock,
    )
