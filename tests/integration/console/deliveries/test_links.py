"""Signed links: created once, URLs that give files, deletion."""

from typing import Any

import httpx
import pytest

from tests.builders.stack.api_client import ApiClient
from tests.integration.console.deliveries.conftest import listed, made
from tests.integration.console.deliveries.forms import (
    choose,
    confirm,
    fill,
    kept_texts,
    submit_twice,
)
from tests.integration.console.person import Person

pytestmark = pytest.mark.integration

ATTACK = "<img src=x onerror='window.attacked = 1'>"
SECRET = "document.querySelector('dialog[open] .secret input')?.value"
URL = "document.querySelector('.built output')?.innerText"


@pytest.fixture
def link(client: ApiClient, template: str) -> dict[str, Any]:
    return made(client, "/signed-links", {"name": ATTACK, "template_id": template})


def test_double_click_creates_one_link(person: Person, client: ApiClient, template: str) -> None:
    person.enter("/deliveries/links")
    person.press("New link")
    fill(person, "Name", "Conference badge")
    choose(person, "Template", template)
    fill(person, "Renders at most", "3")
    fill(person, "Output options", "{")

    submit_twice(person)
    person.reads("The output options are not a JSON object.", within="dialog[open] [role=alert]")
    fill(person, "Output options", '{"image": {"scale": 2}}')
    submit_twice(person)

    secret = person.browser.wait_for(f"{SECRET} && {SECRET}")
    assert secret not in kept_texts(person)
    confirm(person, "I have stored it")
    person.reads("Conference badge", within=".thing-head")
    names = [each["name"] for each in listed(client, "/signed-links")]
    assert names.count("Conference badge") == 1
    shown = client.http.get(f"/signed-links/{person.browser.value(LAST_PART)}").json()
    assert (shown["template_id"], shown["quota_total"]) == (template, 3)
    assert shown["output"] == {"image": {"scale": 2}}


LAST_PART = "location.pathname.split('/').at(-1)"


def test_built_url_gives_the_file(person: Person, link: dict[str, Any]) -> None:
    person.enter(f"/deliveries/links/{link['id']}")
    person.reads("window.attacked", within=".thing-head")
    fill(person, "File name", "badge")
    fill(person, "Name", "n")
    fill(person, "Value", 'Ada & "Bob"')
    choose(person, "Format", "png")

    person.press("Sign URL")

    url = person.browser.wait_for(f"{URL} && {URL}")
    answer = httpx.get(url, follow_redirects=True, timeout=60)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
    assert "/badge.png?n=Ada" in url
    # A URL of other fields is not shown any more.
    fill(person, "Value", "Eve")
    person.browser.wait_for(f"!{URL}")


def test_link_is_turned_off_and_deleted(
    person: Person, client: ApiClient, link: dict[str, Any]
) -> None:
    path = f"/signed-links/{link['id']}"
    person.enter(f"/deliveries/links/{link['id']}")

    person.press("Turn off")
    person.reads("Off", within=".thing-head")
    assert client.http.get(path).json()["enabled"] is False
    person.press("Delete")
    confirm(person, "Delete link")

    person.browser.wait_for("location.pathname.endsWith('/deliveries/links')")
    assert client.http.get(path).status_code == 404
