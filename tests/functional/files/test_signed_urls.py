"""Signed file URLs: every altered URL gets the same refusal."""

from collections.abc import Callable
from urllib.parse import urlsplit

import pytest

from tests.builders.service import Service


@pytest.fixture
def path(service: Service) -> str:
    """Return path and query of a file URL."""
    parts = urlsplit(service.render().json["files"][0]["url"])
    return f"{parts.path}?{parts.query}"


@pytest.mark.parametrize(
    "alter",
    [
        lambda path: path.partition("?")[0],
        lambda path: path.replace("sig=", "sig=0"),
        lambda path: path.replace("sig=", "s="),
        lambda path: path.replace("exp=", "exp=9"),
        lambda path: path.replace("exp=", "exp=soon"),
        lambda path: path.replace("exp=", "exp=%F0%9F%98%80"),
        lambda path: path.partition("&sig=")[0] + "&sig=" + "a" * 300,
        lambda path: path.partition("?")[0] + "?exp=" + "9" * 300 + "&sig=a",
        lambda path: path + "&utm_source=mail",
        lambda path: path + "&" + path.partition("&")[2],
        lambda path: path.replace("file_", "file_0"),
    ],
)
def test_altered_url_has_no_valid_signature(
    service: Service, path: str, alter: Callable[[str], str]
) -> None:
    answer = service.call("GET", alter(path), key=None)

    assert (answer.status, answer.code) == (403, "invalid_signature")
    assert "errors" not in answer.json


def test_signed_url_leads_to_the_file(service: Service, path: str) -> None:
    assert service.call("GET", path, key=None).status == 302
    assert service.call("HEAD", path, key=None).status == 302
