"""Guides: pages and files of the site, other spellings of addresses, attacks, hosts with a path."""

import json
import re
from pathlib import Path

import pytest

from chalicelib.api import site
from chalicelib.api.edge.app import App
from chalicelib.api.pages.guides import Guides, GuidesMissingError
from chalicelib.api.pages.html_page import NAVIGATION, POLICY
from tests.builders.http import ApiAnswer, request
from tests.fakes.api_services import FakeApiServices

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
ADDRESS = re.compile(r'<[a-z][^<>]*\b(?:href|src)="([^"]*)"')


@pytest.fixture
def services() -> FakeApiServices:
    return FakeApiServices()


@pytest.fixture
def app(services: FakeApiServices) -> App:
    return App([site.blueprint], lambda: services)


def get(app: App, path: str, **headers: str) -> ApiAnswer:
    return request(app, "GET", path, headers=BROWSER | headers)


def addresses(answer: ApiAnswer) -> list[str]:
    """Return what a page loads and links to."""
    return ADDRESS.findall(answer.body.decode())


@pytest.mark.parametrize(
    ("path", "kind", "begin"),
    [
        ("", "text/html; charset=utf-8", b"<!doctype html>"),
        ("/renders", "text/html; charset=utf-8", b"<!doctype html>"),
        ("/assets/guides.css", "text/css; charset=utf-8", b"/*"),
        ("/assets/pages.css", "text/css; charset=utf-8", b":root"),
        ("/assets/guides.js", "text/javascript; charset=utf-8", b"//"),
        ("/assets/minisearch.js", "text/javascript; charset=utf-8", b"/**"),
        ("/assets/search.json", "application/json", b'[{"at":'),
        ("/assets/icon.svg", "image/svg+xml", b"<svg"),
        ("/images/gallery.png", "image/png", b"\x89PNG"),
    ],
)
def test_each_file_has_its_type_and_the_rules_of_pages(
    app: App, path: str, kind: str, begin: bytes
) -> None:
    answer = get(app, f"/guides{path}")

    assert (answer.status, answer.headers["Content-Type"]) == (200, kind)
    assert answer.body.startswith(begin)
    assert answer.headers["Cache-Control"] == "public, max-age=300"
    assert answer.headers["Content-Security-Policy"] == POLICY
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    again = get(app, f"/guides{path}", **{"If-None-Match": answer.headers["ETag"]})
    assert (again.status, again.body) == (304, b"")


def test_pictures_are_sent_as_they_are(app: App) -> None:
    answer = get(app, "/guides/images/gallery.png", **{"Accept-Encoding": "gzip"})

    assert "Content-Encoding" not in answer.headers
    assert answer.body.startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ("/guides/renders/", "/guides/renders"),
        ("/guides/renders.html", "/guides/renders"),
        ("/guides/renders.html/", "/guides/renders"),
        ("/guides/index", None),
        ("/guides/index/", "/guides"),
        ("/guides/index.html", "/guides"),
    ],
)
@pytest.mark.parametrize("base", ["", "/live"])
def test_other_spellings_lead_to_the_page(
    app: App, services: FakeApiServices, sent: str, meant: str | None, base: str
) -> None:
    services.api_host = f"https://api.test{base}"

    answer = get(app, sent)

    if meant is None:
        assert answer.status == 200
        return
    assert (answer.status, answer.body) == (308, b"")
    assert answer.headers["Location"] == base + meant
    assert get(app, meant).status == 200


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_unknown_page_is_shown_inside_the_site(app: App, method: str) -> None:
    answer = request(app, method, "/guides/nothing", headers=BROWSER)

    assert answer.status == 404
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Content-Security-Policy"] == POLICY
    if method == "HEAD":
        assert answer.body == b""
        assert answer.headers["Content-Length"] == str(len(get(app, "/guides/nothing").body))
        return
    assert b"No such page" in answer.body
    assert {get(app, address).status for address in own(addresses(answer))} == {200}


def own(found: list[str]) -> set[str]:
    """Return the addresses of the guides, without anchors."""
    return {each.partition("#")[0] for each in found if each.startswith("/guides")}


def test_programs_get_a_problem_for_an_unknown_page(app: App) -> None:
    answer = request(app, "GET", "/guides/nothing", headers={"Accept": "application/json"})

    assert (answer.status, answer.code) == (404, "not_found")


@pytest.mark.parametrize(
    "path",
    [
        "..%2f..%2fapp.py",
        "../app.py",
        "%2e%2e/pages/rapidoc.js",
        "..%5c..%5capp.py",
        "assets/../../pages/rapidoc.js",
        "assets/..%2f..%2fpages%2frapidoc.js",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "assets/guides.css%00",
        "assets//guides.css",
        "assets/guides.css/",
        "assets/",
        "assets",
        "404.html.html",
        "index.html.html",
        "renders%2ehtml%2ehtml",
        ".pins",
        "x" * 5_000,
    ],
)
def test_nothing_but_files_of_the_site_is_given(app: App, path: str) -> None:
    assert get(app, f"/guides/{path}").status == 404


@pytest.mark.parametrize("path", ["/guides", "/guides/renders", "/guides/nothing"])
@pytest.mark.parametrize("base", ["", "/live"])
def test_pages_load_and_link_below_the_path_of_the_host(
    app: App, services: FakeApiServices, path: str, base: str
) -> None:
    services.api_host = f"https://api.test{base}"

    found = addresses(get(app, path))

    rooted = [address for address in found if not re.match("#|https?:", address)]
    assert rooted
    assert all(address.startswith(f"{base}/") for address in rooted)
    assert {f"{base}{address}" for _, address in NAVIGATION} <= set(rooted)
    assert {get(app, each.removeprefix(base)).status for each in set(rooted)} == {200}


def test_frame_is_that_of_the_other_pages(app: App) -> None:
    bar = re.compile(r'<header class="bar">.*?</nav>', re.DOTALL)

    mine, other = (
        re.sub(r' aria-current="page"|\n', "", found[0])
        for path in ("/guides", "/errors")
        if (found := bar.search(get(app, path).body.decode()))
    )

    assert mine == other


def test_index_of_the_search_leads_to_sections_that_exist(app: App) -> None:
    entries = json.loads(get(app, "/guides/assets/search.json").body)
    pages: dict[str, str] = {}

    for entry in entries:
        path, _, anchor = entry["at"].partition("#")
        address = "/guides" if path == "../guides" else f"/guides/{path}"
        if address not in pages:
            answer = get(app, address)
            assert answer.status == 200, address
            pages[address] = answer.body.decode()
        assert not anchor or f'id="{anchor}"' in pages[address], entry["at"]
    assert len({entry["at"] for entry in entries}) == len(entries)
    assert "/guides/renders" in pages


def test_examples_keep_their_addresses_on_a_host_with_a_path(tmp_path: Path) -> None:
    sample = '<a class="x" href="/guides/b">b</a><pre>&lt;img src="/logo.png"&gt;</pre>'
    for name in ("index.html", "404.html"):
        (tmp_path / name).write_text(sample)

    found = Guides(tmp_path, "/live").find("index")

    assert found is not None
    assert found.plain.decode() == sample.replace('href="/', 'href="/live/')


def test_folder_without_a_site_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(GuidesMissingError, match="make setup"):
        Guides(tmp_path, "")
