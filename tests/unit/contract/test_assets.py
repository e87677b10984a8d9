"""Assets: their paths, types and contents in requests."""

from typing import Any

import pytest

from chalicelib.contract.options.assets import checked_path, decoded_bytes, plain_path
from chalicelib.contract.render.request import RenderRequest
from chalicelib.contract.validation import read_body
from chalicelib.core import json
from chalicelib.core.errors import FieldError, ServiceError


def refusal_of(**asset: Any) -> FieldError:
    entry = {"path": "a.png", "content": "QQ=="} | asset
    body = {"input": {"type": "html", "html": "<p>", "assets": [entry]}}
    with pytest.raises(ServiceError) as caught:
        read_body(RenderRequest, json.dumps(body).encode(), body)
    (error,) = caught.value.errors
    return error


@pytest.mark.parametrize(
    ("path", "plain"),
    [
        ("a.png", "a.png"),
        ("./a.png", "a.png"),
        ("img/./a.png", "img/a.png"),
        ("img%2Fa.png", "img/a.png"),
        ("img\\a.png", "img/a.png"),
        ("my%20logo.png", "my logo.png"),
        ("b%C3%BC.png", "bü.png"),
        ("bü.png", "bü.png"),
        ("100%.png", "100%.png"),
        ("a%3Fv=3.css", "a?v=3.css"),
        ("...", "..."),
        ("A.png", "A.png"),
    ],
)
def test_paths_are_read_as_a_web_server_does(path: str, plain: str) -> None:
    assert checked_path(path) == plain == plain_path(path)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/a.png", "leave out the first /"),
        ("%2Fa.png", "leave out the first /"),
        ("\\a.png", "leave out the first /"),
        ("//host/a.png", "leave out the first /"),
        ("../a.png", "leave out .."),
        ("img/%2e%2E/a.png", "leave out .."),
        ("img\\..\\a.png", "leave out .."),
        ("https://example.com/a.png", "without a scheme"),
        ("file:a.png", "without a scheme"),
        ("data:,a", "without a scheme"),
        (".", "no empty part"),
        ("./", "no empty part"),
        ("img/", "no empty part"),
        ("img//a.png", "no empty part"),
        ("a.css?v=3", "no ? and #"),
        ("a.svg#b", "no ? and #"),
        ("a\n.png", "no control characters"),
        ("a%00.png", "no control characters"),
    ],
)
def test_paths_that_no_document_can_name_are_refused(path: str, reason: str) -> None:
    error = refusal_of(path=path)

    assert error.path == "/input/assets/0/path"
    assert reason in error.message


@pytest.mark.parametrize(
    "asset",
    [
        {"content": None},
        {"upload_id": "upl_1"},
        {"content": "Q"},
        {"content_type": "text"},
        {"content_type": "text/css\r\nX-Own: 1"},
        {"url": "https://example.com/a.png"},
    ],
)
def test_other_assets_are_refused_at_their_entry(asset: dict[str, Any]) -> None:
    assert refusal_of(**asset).path.startswith("/input/assets/0")


@pytest.mark.parametrize(
    ("content", "size"), [("QQ==", 1), ("QUI=", 2), ("QUJD", 3), ("QU\nJD\n QQ== \n", 4)]
)
def test_size_is_that_of_the_decoded_bytes(content: str, size: int) -> None:
    assert decoded_bytes(content) == size
