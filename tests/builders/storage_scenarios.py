"""Scenarios of storage destinations and uploads, which use every grant of the functions."""

from chalicelib.features.destinations.outgoing import UploadFailedError
from tests.builders.email_connections import use_plan
from tests.builders.service import Service
from tests.builders.storage_destinations import (
    PATH,
    change_destination,
    made_destination,
    run_storage_test,
)
from tests.builders.storage_uploads import receipts, render_to, upload, upload_later
from tests.fakes.store import DENIED, FakeStore

UNAVAILABLE = UploadFailedError("storage_unavailable", "The store did not answer.", is_final=False)


def storage_of_every_kind(service: Service) -> None:
    """Make, change, test, list and delete destinations; upload at once, later and in vain."""
    before = service.services.workspaces.get(service.workspace)
    assert before is not None
    use_plan(service, "growth")
    store = FakeStore()
    service.stores = store.openers
    destination = made_destination(service, path_template="{{ reference }}/{{ filename }}")
    assert change_destination(service, destination, is_default=True).status == 200
    assert change_destination(service, destination, is_default=False).status == 200
    assert run_storage_test(service, destination).json["ok"] is True
    rendered = render_to(service, destination["id"], reference="r")
    upload(service)
    assert [each["status"] for each in receipts(service, rendered)] == ["succeeded"]

    store.failures["write"] = UNAVAILABLE
    late = render_to(service, destination["id"])
    upload(service)
    for _ in range(8):
        upload_later(service, minutes=40)
    store.failures["write"] = DENIED
    upload_later(service, hours=4)
    assert [each["status"] for each in receipts(service, late)] == ["failed"]

    assert len(service.call("GET", PATH).json["data"]) == 1
    assert service.call("DELETE", f"{PATH}/{destination['id']}").status == 204
    service.stores = None
    # The rate of the requests so far does not hold up the next ones.
    service.clock.advance(minutes=1)
    use_plan(service, before.plan_code)
