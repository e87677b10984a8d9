"""Endpoints about the service for programs: health and the OpenAPI document."""

import gzip
import time

import pytest

from chalicelib.api import meta
from chalicelib.api.edge.app import App
from chalicelib.api.edge.openapi.document import openapi_document
from chalicelib.api.routes import ENDPOINTS
from chalicelib.bootstrap.event_types import CONTRACT_EVENT_TYPES
from tests.builders.http import request
from tests.fakes.api_services import FakeApiServices


@pytest.fixture
def services() -> FakeApiServices:
    return FakeApiServices()


@pytest.fixture
def app(services: FakeApiServices) -> App:
    return App([meta.blueprint], lambda: services)


def test_healthz(app: App, services: FakeApiServices) -> None:
    services.checks = {"database": lambda: True, "walls": lambda: False}
    assert request(app, "GET", "/healthz").json == {
        "status": "ok",
        "version": "0.2.0",
        "checks": {"database": "ok", "walls": "missing"},
    }

    def broken() -> bool:
        message = "table gone"
        raise RuntimeError(message)

    services.checks = {"database": broken, "walls": lambda: True}
    answer = request(app, "GET", "/healthz")
    assert answer.status == 503
    assert answer.json["checks"] == {"database": "failing", "walls": "ok"}
    assert answer.headers["Retry-After"]
    assert b"table gone" not in answer.body


def test_the_description_needs_no_key(app: App) -> None:
    document = request(app, "GET", "/v1/openapi.json")

    assert document.json["openapi"] == "3.1.0"
    assert document.json["servers"] == [{"url": "http://api.test"}]


def test_the_description_is_built_once(app: App) -> None:
    request(app, "GET", "/v1/openapi.json")
    begun = time.process_time()
    openapi_document(ENDPOINTS, CONTRACT_EVENT_TYPES, "http://api.test")
    made = time.process_time()

    for _ in range(3):
        request(app, "GET", "/v1/openapi.json")

    assert time.process_time() - made < made - begun


def test_the_description_is_small_as_sent(app: App) -> None:
    packed = request(app, "GET", "/v1/openapi.json", headers={"Accept-Encoding": "gzip"})

    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.headers["Content-Type"] == "application/json"
    assert len(packed.body) <= 120_000
    assert gzip.decompress(packed.body) == request(app, "GET", "/v1/openapi.json").body


def test_tools_on_web_pages_may_read_the_description(app: App) -> None:
    for headers in ({}, {"Accept-Encoding": "gzip"}):
        answer = request(app, "GET", "/v1/openapi.json", headers=headers)
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
