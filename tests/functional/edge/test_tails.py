"""Routes with a tail: the rest of the path reaches the view decoded once, or not at all."""

from collections.abc import Callable
from typing import Any

import pytest
from chalice.app import Blueprint
from chalice.deploy.swagger import CFNSwaggerGenerator

from chalicelib.api.edge.app import METHODS, App
from chalicelib.api.edge.auth import PUBLIC, KeyAuth
from chalicelib.api.edge.endpoint import Call, Reply, endpoint, endpoints_of
from chalicelib.api.edge.openapi.document import openapi_document
from tests.builders.http import ApiAnswer, event, request
from tests.fakes.api_services import FakeApiServices

blueprint = Blueprint(__name__)


@blueprint.route("/l/{link}/{rest+}", methods=["GET"])
@endpoint(auth=PUBLIC)
def link(call: Call) -> Reply:
    """Show the tail."""
    return Reply(body=dict(call.params))


@blueprint.route("/l/{link}", methods=["DELETE"])
@endpoint(auth=KeyAuth("signed_links:write"))
def delete(_call: Call) -> Reply:
    """Stand beside the tail."""
    return Reply(204)


@pytest.fixture
def app() -> App:
    services = FakeApiServices()
    return App([blueprint], lambda: services)


@pytest.fixture
def get(app: App) -> Callable[[str], ApiAnswer]:
    return lambda target: request(app, "GET", target)


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        ("a", "a"),
        ("a/b/c.pdf", "a/b/c.pdf"),
        ("x;v=1,2/@b:c+d", "x;v=1,2/@b:c+d"),
        ("caf%C3%A9%20bar.png", "caf\u00e9 bar.png"),
        ("%E2%82%AC/%61", "\u20ac/a"),
        ("100%25", "100%"),
        ("a%252Fb", "a%2Fb"),
        ("%252e%252e/b", "%2e%2e/b"),
        ("a%2Bb+c", "a+b+c"),
        ("...", "..."),
        (".hidden", ".hidden"),
        ("e%CC%81", "e\u0301"),
        ("x%3Fy%23z", "x?y#z"),
    ],
)
def test_tail_is_decoded_once(get: Callable[[str], ApiAnswer], sent: str, text: str) -> None:
    answer = get(f"/l/lnk_1/{sent}")

    assert answer.json == {"link": "lnk_1", "rest": text}


@pytest.mark.parametrize(
    "sent",
    [
        *("a//b", "/a", "a/", "a//", "a%2Fb", "a%2fb", "%2f", "a/%2F/b"),
        *(".", "..", "a/../b", "a/./b", "../a", "a/..", "%2e", "%2E%2e", "a/.%2e/b"),
        *("a%5Cb", "..%5cb", "a%00", "a%0d%0ab", "a%7f", "%ff", "%C3", "%ed%a0%80"),
        *("%", "a%2", "%zz", "%u0041", "100%"),
    ],
)
def test_odd_tail_is_not_found(get: Callable[[str], ApiAnswer], sent: str) -> None:
    answer = get(f"/l/lnk_1/{sent}")

    assert (answer.status, answer.code) == (404, "not_found")


def test_odd_tail_is_refused_where_the_gateway_drops_its_last_slash(app: App) -> None:
    made = event(app, "GET", "/l/lnk_1/a/", {}, None, "203.0.113.7")

    assert made["pathParameters"] == {"link": "lnk_1", "rest": "a"}
    assert request(app, "GET", "/l/lnk_1/a/").code == "not_found"


def test_path_without_its_tail_is_another_route(app: App) -> None:
    assert request(app, "GET", "/l/lnk_1").headers["Allow"] == "DELETE"
    assert request(app, "GET", "/l").code == "not_found"


def test_tail_takes_its_methods_only(app: App) -> None:
    refused = request(app, "POST", "/l/lnk_1/a/b", body=b"{")
    head = request(app, "HEAD", "/l/lnk_1/a/b")

    assert (refused.status, refused.headers["Allow"]) == (405, "GET, HEAD")
    assert (head.status, head.body) == (200, b"")


def test_gateway_is_told_of_the_tail(app: App) -> None:
    paths = CFNSwaggerGenerator().generate_swagger(app)["paths"]

    assert {method.upper() for method in paths["/l/{link}/{rest+}"]} == set(METHODS)


def test_openapi_describes_the_tail() -> None:
    document: Any = openapi_document(endpoints_of([blueprint]), (), "https://a.test")
    operation = document["paths"]["/l/{link}/{rest}"]["get"]

    parameters = {entry["name"]: entry for entry in operation["parameters"] if "name" in entry}
    assert parameters.keys() == {"link", "rest"}
    assert "rest of the path" in parameters["rest"]["description"]
    name = operation["responses"]["404"]["$ref"].rpartition("/")[2]
    assert "not_found" in document["components"]["responses"][name]["description"]


def test_tail_is_the_end_of_its_path() -> None:
    wrong = Blueprint("wrong")
    wrong.route("/l/{rest+}/end", methods=["GET"])(link)

    with pytest.raises(AssertionError, match="goes on behind its tail"):
        endpoints_of([wrong])
