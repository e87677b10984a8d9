"""Cache rules, CORS and content types other than those of the API's own answers."""

from urllib.parse import parse_qs

import pytest
from chalice.app import Blueprint

from chalicelib.api.edge.app import App
from chalicelib.api.edge.auth import PUBLIC, KeyAuth
from chalicelib.api.edge.endpoint import Call, Reply, endpoint, endpoints_of
from chalicelib.core.errors import ServiceError
from tests.builders.http import request
from tests.fakes.api_services import FakeApiServices

FORM = "application/x-www-form-urlencoded"
PNG = b"\x89PNG\xff\x00"
CORS = "Access-Control-Allow-Origin"
PREFLIGHT = {"Origin": "https://shop.test", "Access-Control-Request-Method": "GET"}
blueprint = Blueprint(__name__)


@blueprint.route("/pictures/{name}", methods=["GET"])
@endpoint(
    auth=PUBLIC, cache_control="public, max-age=60", allows_any_origin=True, answer_types=("*/*",)
)
def picture(call: Call) -> Reply:
    """Send a picture to any page, for as long as its name says."""
    kinds = {
        "a.avif": Reply(200, PNG, "image/avif"),
        "a.svg": Reply(200, "<svg/>", "image/svg+xml"),
        "a.csv": Reply(200, "\u00e9;1".encode("latin-1"), "text/csv; charset=iso-8859-1"),
        "soon.png": Reply(200, PNG, "image/png", {"Cache-Control": "public, max-age=7"}),
        "empty.png": Reply(200, b"", "image/png"),
    }
    if call.params["name"] not in kinds:
        raise ServiceError("invalid_signature", "This address was changed.")
    return kinds[call.params["name"]]


@blueprint.route("/pictures/{name}", methods=["DELETE"])
@endpoint(auth=KeyAuth("signed_links:write"))
def delete(_call: Call) -> Reply:
    """Delete a picture."""
    return Reply(204)


@blueprint.route("/callback", methods=["POST"])
@endpoint(auth=PUBLIC, media_types=(FORM,))
def callback(call: Call) -> Reply:
    """Take the form of a provider."""
    return Reply(200, dict(parse_qs(call.raw_body.decode())))


@pytest.fixture
def services() -> FakeApiServices:
    return FakeApiServices()


@pytest.fixture
def app(services: FakeApiServices) -> App:
    return App([blueprint], lambda: services)


@pytest.mark.parametrize(
    ("name", "content_type", "body"),
    [
        ("a.avif", "image/avif", PNG),
        ("a.svg", "image/svg+xml", b"<svg/>"),
        ("a.csv", "text/csv; charset=iso-8859-1", b"\xe9;1"),
        ("empty.png", "image/png", b""),
    ],
)
@pytest.mark.parametrize("accept", ["*/*", "image/*", "application/json"])
def test_bytes_and_text_of_any_type_arrive_as_they_are(
    app: App, name: str, content_type: str, body: bytes, accept: str
) -> None:
    answer = request(app, "GET", f"/pictures/{name}", headers={"Accept": accept})

    assert (answer.status, answer.body) == (200, body)
    assert answer.headers["Content-Type"] == content_type


def test_declared_cache_rule_holds_for_good_answers(app: App) -> None:
    good, soon, bad = (
        request(app, "GET", f"/pictures/{name}").headers["Cache-Control"]
        for name in ("a.svg", "soon.png", "forged.png")
    )

    assert good == "public, max-age=60"
    assert soon == "public, max-age=7"
    assert bad == "no-store"


def test_every_page_may_read_the_answers_that_allow_it(app: App) -> None:
    for name in ("a.svg", "forged.png"):
        answer = request(app, "GET", f"/pictures/{name}", headers={"Origin": "https://shop.test"})

        assert answer.headers[CORS] == "*"
        assert "Access-Control-Allow-Credentials" not in answer.headers


def test_preflight_is_answered_for_the_methods_that_allow_it(app: App) -> None:
    answer = request(app, "OPTIONS", "/pictures/a.svg?exp=1&exp=2&sig=x", headers=PREFLIGHT)

    assert (answer.status, answer.body) == (204, b"")
    assert answer.headers[CORS] == "*"
    assert answer.headers["Access-Control-Allow-Methods"] == "GET"
    assert "Access-Control-Allow-Credentials" not in answer.headers


def test_other_paths_and_methods_refuse_pages(app: App, services: FakeApiServices) -> None:
    preflight = request(app, "OPTIONS", "/callback", headers=PREFLIGHT)
    deleted = request(app, "DELETE", "/pictures/a.svg", key=services.key())

    assert (preflight.status, preflight.code) == (405, "method_not_allowed")
    assert deleted.status == 204
    assert "Content-Type" not in deleted.headers
    assert CORS not in {*preflight.headers, *deleted.headers}


def test_keys_are_never_taken_from_pages() -> None:
    wrong = Blueprint("wrong")
    keyed = endpoint(auth=KeyAuth("renders:read"), allows_any_origin=True)
    wrong.route("/renders", methods=["GET"])(keyed(delete.view))

    with pytest.raises(AssertionError, match="keys from web pages"):
        endpoints_of([wrong])


@pytest.mark.parametrize("kind", [FORM, f"{FORM}; charset=UTF-8"])
def test_form_of_a_provider_reaches_the_view(app: App, kind: str) -> None:
    answer = request(
        app, "POST", "/callback", body=b"event=open&id=%C3%A9", headers={"Content-Type": kind}
    )

    assert answer.json == {"event": ["open"], "id": ["\u00e9"]}
    assert request(app, "POST", "/callback", body=b"{}").code == "unsupported_media_type"
