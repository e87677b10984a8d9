"""Response sizes: no answer exceeds the platform's limit, for any request."""

import json
from typing import Any, Final

import pytest

from tests.builders.http import ApiAnswer
from tests.builders.service import Service
from tests.builders.templates import TEMPLATES_PATH, make_template, post_template, put_draft

PLATFORM_BYTES: Final = 6_291_456
LONG: Final = '"' * 600_000
HTML: Final = {"type": "html", "html": "x"}
# Short in a request, long in an answer: 1e15 is written as 1000000000000000.0.
NUMBERS: Final = b'{"name": "N", "data": {"n": [%s]}}' % b",".join([b"1e15"] * 340_000)


def response_bytes(answer: ApiAnswer) -> int:
    """Return the bytes of an answer as the function returns it: with its body as a string."""
    return len(json.dumps(answer.body.decode(), ensure_ascii=False).encode())


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/renders", {LONG: 1}),
        ("/v1/renders", {"input": HTML, "metadata": {LONG: "x"}}),
        ("/v1/renders", {"input": HTML, "output": {"http": {"headers": {LONG: 1}}}}),
        ("/v1/pdf/from-html", {"html": "x", LONG: 1}),
        ("/v1/renders/rnd_1/cancel", {LONG: 1}),
        ("/v1/einvoices", {"profile": "EN16931", "invoice": {LONG: 1}}),
        ("/v1/templates", {"name": "T", "type": "image_canvas", "scene": {LONG: 1}}),
        ("/v1/templates", {"name": "T", "options": {"pdf": {LONG: 1}}}),
    ],
)
def test_a_long_name_is_shortened_in_errors(
    service: Service, path: str, body: dict[str, Any]
) -> None:
    answer = service.call("POST", path, json_body=body)

    assert answer.status in {400, 422}
    assert any(place.endswith("…") for place in answer.pointers)
    assert response_bytes(answer) < 20_000


def test_preflight_shortens_a_long_name(service: Service) -> None:
    answer = service.call("POST", "/v1/renders/preflight", json_body={LONG: 1})

    assert {error["code"] for error in answer.json["errors"]} == {"required", "unknown"}
    assert response_bytes(answer) < 20_000


def test_a_draft_too_large_for_a_response_is_refused(service: Service) -> None:
    path = make_template(service)
    longest = '"' * 1_490_000

    assert put_draft(service, path, html=longest).status == 200
    shown = service.call("GET", f"{path}/draft")
    assert shown.json["content"]["html"] == longest
    assert response_bytes(shown) < PLATFORM_BYTES

    assert put_draft(service, path, html=f"{longest}{longest[:20_000]}").code == "payload_too_large"
    assert service.call("GET", f"{path}/draft").json["revision"] == 2
    answer = post_template(service, html=longest, css=longest)
    assert (answer.status, answer.code) == (413, "payload_too_large")


@pytest.mark.parametrize("in_template", [False, True])
def test_a_dataset_too_large_for_a_response_is_refused(
    service: Service, *, in_template: bool
) -> None:
    path, body = f"{make_template(service)}/datasets", NUMBERS
    if in_template:
        path, body = TEMPLATES_PATH, b'{"name": "T", "datasets": [%s]}' % NUMBERS
    headers = {"Content-Type": "application/json"}

    answer = service.call("POST", path, body=body, headers=headers)

    assert (answer.status, answer.code) == (413, "payload_too_large")
    assert "6000000" in answer.json["detail"]
