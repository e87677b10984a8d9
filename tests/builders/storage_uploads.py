"""Storage destinations of a workspace, renders to them, and the results of their uploads."""

from typing import Any, Final

from chalicelib.features.destinations.outgoing import UploadFailedError
from tests.builders.email_connections import use_plan
from tests.builders.http import ApiAnswer
from tests.builders.service import Service

DESTINATIONS: Final = "/v1/storage-destinations"
S3: Final = {
    "provider": "s3",
    "config": {"region": "eu-central-1", "bucket": "invoices"},
    "credentials": {"access_key_id": "AKIA", "secret_access_key": "secret"},
}


AWAY: Final = UploadFailedError(
    "storage_unavailable", "The store does not answer.", is_final=False, status=503
)


def make_destination(service: Service, **fields: Any) -> str:
    """Make a destination and return its id; the plan allows it."""
    use_plan(service, "growth")
    answer = service.call("POST", DESTINATIONS, json_body={"name": "Archive"} | S3 | fields)
    assert answer.status == 201, answer.body
    return str(answer.json["id"])


def render_to(service: Service, *targets: str | dict[str, Any], **fields: Any) -> ApiAnswer:
    """Render with storage targets; a text is the id of a destination."""
    storage = [{"destination_id": each} if isinstance(each, str) else each for each in targets]
    delivery = {"storage": storage} | fields.pop("delivery", {})
    return service.render(delivery=delivery, **fields)


def upload(service: Service) -> None:
    """Relay the events of renders, upload, and relay the events of uploads."""
    assert service.relay_events() == []
    assert service.upload_files() == []
    assert service.relay_events() == []


def upload_later(service: Service, **time: float) -> None:
    """Let time pass, and make the uploads that are due by then."""
    service.clock.advance(**time)
    service.tick()
    assert service.upload_files() == []
    assert service.relay_events() == []


def shown(service: Service, render: ApiAnswer | dict[str, Any]) -> dict[str, Any]:
    """Return a render as it is now."""
    render_id = render["id"] if isinstance(render, dict) else render.json["id"]
    return dict(service.call("GET", f"/v1/renders/{render_id}").json)


def receipts(service: Service, render: ApiAnswer) -> list[dict[str, Any]]:
    """Return the receipts of a render as they are now."""
    return list(shown(service, render)["storage"])


def stored_files(service: Service) -> list[str]:
    """Return the keys of the files of renders in the service's own bucket."""
    return [key for key in service.objects() if "/files/rnd_" in key]


def maintain(service: Service) -> None:
    """Let a minute pass, and do the due items."""
    service.clock.advance(minutes=1)
    service.process_due()
