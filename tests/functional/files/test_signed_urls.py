"""Signed file URLs: every altered URL gets the same refusal."""

from collections.abc import Callable
from urllib.parse import urlsplit

import pytest

from chalicelib.adapters.aws.table import Write
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


@pytest.mark.parametrize(
    ("status", "code"),
    [("suspend", "workspace_suspended"), ("delete", "workspace_deletion_scheduled")],
)
def test_url_of_an_inactive_workspace_is_refused_until_it_is_restored(
    service: Service, path: str, status: str, code: str
) -> None:
    change = service.operator.change_status
    getattr(change, status)(service.workspace)

    refused = service.call("GET", path, key=None)
    altered = service.call("GET", path.replace("sig=", "sig=0"), key=None)
    change.restore(service.workspace)
    restored = service.call("GET", path, key=None)

    assert (refused.status, refused.code) == (403, code)
    assert "Location" not in refused.headers
    # The state of a workspace is revealed only to a valid signature.
    assert altered.code == "invalid_signature"
    assert restored.status == 302


def test_url_of_a_deleted_workspace_has_expired(service: Service, path: str) -> None:
    row = {"PK": f"WS#{service.workspace}", "SK": "META"}
    service.main_table.write(Write(service.main_table, key=row))

    assert service.call("GET", path, key=None).code == "file_expired"


def test_signed_url_leads_to_the_file(service: Service, path: str) -> None:
    assert service.call("GET", path, key=None).status == 302
    assert service.call("HEAD", path, key=None).status == 302
