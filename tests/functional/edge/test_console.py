"""Console: its page at each address, its files, attacks, hosts with a path, what it may load."""

import re
from pathlib import Path

import pytest

from chalicelib.api import site
from chalicelib.api.edge.app import App
from chalicelib.api.pages.console import Console, ConsoleMissingError, console_policy
from tests.builders.http import ApiAnswer, request
from tests.fakes.api_services import FakeApiServices


@pytest.fixture
def services() -> FakeApiServices:
    return FakeApiServices()


@pytest.fixture
def app(services: FakeApiServices) -> App:
    return App([site.blueprint], lambda: services)


def get(app: App, path: str, **headers: str) -> ApiAnswer:
    return request(app, "GET", f"/console{path}", headers=headers)


def assets_of(page: ApiAnswer) -> list[str]:
    return re.findall(r'(?:href|src)="([^"]*)"', page.body.decode())


@pytest.mark.parametrize(
    "path", ["", "/", "/playground", "/renders/rnd_1", "/renders?status=failed", "/%3Cscript%3E"]
)
def test_every_view_is_the_same_page(app: App, path: str) -> None:
    answer = get(app, path)

    assert (answer.status, answer.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert answer.body == get(app, "").body
    assert answer.headers["Cache-Control"] == "no-cache"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"
    again = get(app, path, **{"If-None-Match": answer.headers["ETag"]})
    assert (again.status, again.body) == (304, b"")


def test_page_has_neither_inline_scripts_nor_styles(app: App) -> None:
    page = get(app, "").body.decode()

    assert re.findall(r"<script(?![^>]* src=)|<style| style=| on\w+=", page) == []


def test_policy_names_the_hosts_that_give_files(app: App) -> None:
    policy = get(app, "").headers["Content-Security-Policy"]

    assert "script-src 'self';" in policy
    assert "connect-src 'self' https://bucket.test https://files.test;" in policy
    assert "unsafe" not in policy


def test_what_an_email_is_shown_in_allows_its_own_styles_and_pictures_alone(app: App) -> None:
    answer = get(app, "/mail")

    assert (answer.status, answer.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert b"<script" not in answer.body
    assert answer.headers["Content-Security-Policy"].split("; ") == [
        "default-src 'none'",
        "style-src 'unsafe-inline'",
        "img-src data:",
        "font-src data:",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'self'",
    ]


def test_policy_names_a_host_once() -> None:
    policy = console_policy(["https://files.test/a", "https://files.test"])

    assert "connect-src 'self' https://files.test;" in policy


@pytest.mark.parametrize("base", ["", "/live"])
def test_files_are_kept_as_long_as_they_have_their_name(
    app: App, services: FakeApiServices, base: str
) -> None:
    services.api_host = f"https://api.test{base}"
    addresses = assets_of(get(app, ""))

    assert addresses
    for address in addresses:
        assert address.startswith(f"{base}/console/assets/")
        answer = request(app, "GET", address.removeprefix(base))
        assert answer.status == 200, address
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [("gzip, br", "br"), ("gzip", "gzip"), ("gzip, br;q=0", "gzip"), ("identity", None)],
)
def test_scripts_are_compressed_as_the_client_takes_them(
    app: App, accepted: str, coding: str | None
) -> None:
    (script, *_) = [each for each in assets_of(get(app, "")) if each.endswith(".js")]

    answer = request(app, "GET", script, headers={"Accept-Encoding": accepted})

    assert answer.headers.get("Content-Encoding") == coding


@pytest.mark.parametrize(
    "path",
    [
        "assets/nothing.js",
        "assets/../index.html",
        "assets/%2e%2e/licenses.md",
        "assets/..%2f..%2fguides/index.html",
        "assets//index.js",
        "assets/",
    ],
)
def test_no_path_leads_out_of_the_files(app: App, path: str) -> None:
    answer = get(app, f"/{path}")

    assert answer.status == 404
    assert b"<script" not in answer.body


def test_missing_console_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(ConsoleMissingError, match="make setup"):
        Console(tmp_path, "")
