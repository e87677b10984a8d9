"""All examples, in an order that makes what later ones name."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.builders.examples.batches import play_batches
from tests.builders.examples.connected import play_destinations, play_links, play_webhooks
from tests.builders.examples.einvoices import play_einvoices
from tests.builders.examples.emails import play_connections, play_rules, play_sends
from tests.builders.examples.pdf_tools import play_pdf_tools
from tests.builders.examples.recorder import Recorder
from tests.builders.examples.renders import play_renders, play_short_forms, play_uploads
from tests.builders.examples.service import example_service
from tests.builders.examples.templates import (
    play_comparison,
    play_datasets,
    play_templates,
)
from tests.builders.in_process_aws import MotoAws


def recorded_examples(aws: MotoAws) -> dict[str, dict[str, Any]]:
    """Return the examples of all operations by tag, as the service answers them now."""
    with example_service(aws) as (service, receiver):
        recorder = Recorder(service, receiver)
        play_webhooks(recorder)
        play_uploads(recorder)
        template, label = play_templates(recorder)
        play_datasets(recorder, template)
        destination = play_destinations(recorder)
        connection = play_connections(recorder)
        rule = play_rules(recorder, template, connection)
        play_renders(recorder, template, rule, destination)
        play_sends(recorder, template, rule)
        play_short_forms(recorder, template, label)
        play_batches(recorder, template)
        play_einvoices(recorder)
        play_pdf_tools(recorder)
        play_links(recorder, label)
        _play_service(recorder)
        play_comparison(recorder, template)
        return recorder.stable_examples()


def _play_service(recorder: Recorder) -> None:
    service = recorder.service
    recorder.call("GET /v1/engines", query={"limit": 20})
    recorder.call("GET /v1/account")
    service.relay_events()
    recorder.call("GET /v1/usage", query={"from": "2026-11-20", "to": "2026-11-22"})
    recorder.call("GET /errors", headers={"Accept": "application/json"})
    recorder.call(
        "GET /errors/{code}", code="template_not_found", headers={"Accept": "application/json"}
    )
    url = urlsplit(service.render().json["files"][0]["url"])
    answer = service.call("GET", f"{url.path}?{url.query}", key=None)
    assert answer.status == 302, answer.body
    _, _, file_id, filename = url.path.split("/")
    query = {name: values[0] for name, values in parse_qs(url.query).items()}
    recorder.parameters(
        "GET /files/{file_id}/{filename}",
        {"file_id": file_id, "filename": filename, "disposition": "inline", **query},
    )
