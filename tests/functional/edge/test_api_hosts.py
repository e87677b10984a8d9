"""URLs in answers of an API without a custom domain: its host has a path then."""

import pytest

from chalicelib.settings import ApiSettings
from tests.builders.service import Service

HOST = "https://abc123.execute-api.eu-central-1.amazonaws.com/live"


@pytest.fixture
def service(service: Service) -> Service:
    given = vars(service.settings) | {"base_url": f"{HOST}/v1", "files_host": HOST}
    service.settings = ApiSettings(**given)
    return service


def test_problem_types_link_to_their_pages(service: Service) -> None:
    problem = service.call("GET", "/v1/renders/rnd_absent").json

    assert problem["type"] == problem["doc_url"] == f"{HOST}/errors/{problem['code']}"


def test_render_and_file_urls_lie_below_the_path(service: Service) -> None:
    queued = service.render(mode="async")
    done = service.render()

    assert queued.headers["Location"] == f"{HOST}/v1/renders/{queued.json['id']}"
    assert done.json["files"][0]["url"].startswith(f"{HOST}/files/file_")


def test_the_reference_names_the_host(service: Service) -> None:
    document = service.call("GET", "/v1/openapi.json").json
    page = service.call("GET", "/docs").body.decode()

    assert document["servers"] == [{"url": HOST}]
    assert 'data-document="/live/v1/openapi.json"' in page
