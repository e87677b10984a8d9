"""Addresses that a caller gives come back without user, password and values of the query."""

from typing import Any, Final

import pytest

from chalicelib.core.errors import RenderFailure
from tests.builders.service import Service
from tests.builders.webhooks import deliver, deliveries, receiver_of

SECRET: Final = "s3cret"
URL: Final = f"https://user:{SECRET}@files.test/a?sig={SECRET}&{SECRET}"
SHOWN: Final = "https://files.test/a?sig=***&***"


def everything_about(service: Service, render: dict[str, Any]) -> str:
    """Return all that the API, the events and the rows' readers show of a render."""
    found = service.call("GET", f"/v1/renders/{render['id']}").json
    listed = service.call("GET", "/v1/renders").json["data"]
    return str([render, found, listed, service.events(render["id"])])


def test_of_a_page(service: Service, capsys: pytest.CaptureFixture[str]) -> None:
    pdf = {
        "attachments": [{"url": URL, "filename": "a.txt"}],
        "watermark": {"image": {"url": URL}},
    }

    render = service.render(input={"type": "url", "url": URL}, output={"pdf": pdf}).json

    assert render["input"]["url"] == SHOWN
    assert render["output"]["pdf"]["attachments"][0]["url"] == SHOWN
    assert render["output"]["pdf"]["watermark"]["image"]["url"] == SHOWN
    job = service.engine.jobs[-1]
    assert job.output.pdf.attachments[0].url == URL
    assert SECRET not in everything_about(service, render)
    assert SECRET not in capsys.readouterr().out


def test_of_a_pdf_tool(service: Service, capsys: pytest.CaptureFixture[str]) -> None:
    requests: list[tuple[str, dict[str, Any]]] = [
        ("merge", {"sources": [{"url": URL}, {"url": URL}]}),
        ("attach", {"source": {"url": URL}, "attachments": [{"url": URL, "filename": "a.txt"}]}),
        ("stamp", {"source": {"url": URL}, "stamp": {"image": {"url": URL}, "position": "center"}}),
    ]
    for tool, request in requests:
        body = {**request, "mode": "async"}
        answer = service.call("POST", f"/v1/pdf-tools/{tool}", json_body=body)
        listed = service.call("GET", "/v1/renders").json["data"]
        assert listed, answer.body
        render = listed[0]

        assert SHOWN in str(render["input"]), tool
        assert SECRET not in answer.body.decode()
        assert SECRET not in everything_about(service, render)
    assert SECRET not in capsys.readouterr().out


def test_of_what_a_page_writes_to_its_console(service: Service) -> None:
    service.engine.logs = (f"error: {URL} was not found",)

    render = service.render().json

    logs = service.call("GET", f"/v1/renders/{render['id']}").json["logs"]
    assert logs == [f"error: {SHOWN} was not found"]


def test_of_a_failure(service: Service) -> None:
    def fail(_job: object) -> None:
        raise RenderFailure("asset_fetch_failed", f"{URL} was not loaded")

    service.engine.before_run = fail

    answer = service.render()

    assert (answer.status, answer.code) == (422, "asset_fetch_failed")
    assert answer.json["detail"] == f"{SHOWN} was not loaded"
    render = service.call("GET", "/v1/renders").json["data"][0]
    assert SECRET not in answer.body.decode()
    assert SECRET not in everything_about(service, render)


def test_of_the_webhook_of_a_request(service: Service) -> None:
    with receiver_of(service) as receiver:
        url = f"{receiver.url}?token={SECRET}"
        service.render(webhook={"url": url})
        deliver(service)

        (delivery,) = deliveries(service)

    assert receiver.received[0].path.endswith(f"token={SECRET}")
    assert delivery["request"]["url"].endswith("/hook?token=***")
    assert SECRET not in str(delivery)
