"""The list of renders and one render: filters, hostile texts, files, cancel and purge."""

from collections.abc import Iterator

import pytest

from infra.local.running_stack import RunningStack
from tests.builders.stack.api_client import ApiClient, output_ready_at
from tests.integration.console.person import Person

pytestmark = pytest.mark.integration

ATTACK = "<script>window.attacked = 1</script><img src=x onerror='window.attacked = 1'>"
NEVER = 4_000_000_000


@pytest.fixture
def client(stack: RunningStack) -> Iterator[ApiClient]:
    with ApiClient(stack, stack.test_key) as running:
        yield running


def test_filters_are_in_the_address(person: Person, client: ApiClient) -> None:
    client.render(reference="find-me", metadata={"customer": "4711"}).raise_for_status()
    client.render(reference="other").raise_for_status()

    person.enter("/renders?reference=find-me")

    rows = "[...document.querySelectorAll('.row-link')].map((each) => each.innerText)"
    person.browser.wait_for(f"{rows}.length > 0")
    assert set(person.browser.value(rows)) == {"find-me"}
    person.press("Failed")
    person.reads("No render matches these filters")
    assert "failed" in person.browser.value("location.search")
    person.press("Clear filters")
    person.browser.wait_for(f"{rows}.includes('other')")


def test_keys_move_through_the_list(person: Person, client: ApiClient) -> None:
    client.render(reference="the-newest").raise_for_status()
    person.enter("/renders")
    person.reads("the-newest")

    person.strike("j")

    assert person.browser.value("document.activeElement.innerText") == "the-newest"


def test_hostile_texts_are_shown_as_texts(person: Person, client: ApiClient) -> None:
    answer = client.render(
        f"<title>x</title><p>{ATTACK}</p><script>console.log({ATTACK!r})</script>",
        reference=ATTACK,
        metadata={"<b>": ATTACK},
        output={"formats": ["html", "pdf"], "filename": ATTACK},
    )
    render = answer.json()

    person.enter(f"/renders/{render['id']}")

    person.reads("window.attacked", within="h1")
    person.press("html")
    person.reads("<title>x</title>", within=".file-text")
    person.enter("/renders")
    person.reads("window.attacked", within=".rows")


def test_failed_render_says_why(person: Person, client: ApiClient) -> None:
    answer = client.render("a {{ x.y }}", data={}, output={"strict_undefined": True})

    person.enter(f"/renders/{answer.json()['render_id']}")

    person.reads("template_runtime_error", within="[role=alert]")
    person.reads("A failed render has no files.", within=".document-pane")


def test_running_render_is_canceled(person: Person, client: ApiClient) -> None:
    render = client.render(mode="async", output=output_ready_at(NEVER)).json()
    person.enter(f"/renders/{render['id']}")

    person.press("Cancel render")

    person.reads("Canceled", within=".topline")
    assert client.get(render["id"])["status"] == "canceled"


def test_files_are_deleted_after_a_question(person: Person, client: ApiClient) -> None:
    render = client.render().json()
    person.enter(f"/renders/{render['id']}")
    person.sees_page()

    person.press("Delete files")
    person.browser.wait_for("document.querySelector('dialog[open]') !== null")
    assert client.get(render["id"])["files"]
    person.browser.value("document.querySelector('dialog[open] .danger').click()")

    person.reads("The files were deleted.", within=".document-pane")
    assert client.get(render["id"])["files"] == []


def test_unknown_render_shows_the_problem(person: Person) -> None:
    person.enter("/renders/rnd_01M7Z1HM8GTX278DM4WH5PWBJK")

    person.reads("req_", within="[role=alert]")


def test_render_of_an_upload_is_made_again_once(person: Person, client: ApiClient) -> None:
    files = {"file": ("a.html", b"<h1>Again and again</h1>", "text/html")}
    upload = client.http.post("/uploads", files=files).json()["id"]
    body = {"input": {"type": "html", "upload_id": upload}, "reference": "again-and-again"}
    first = client.http.post("/renders", json=body).json()["id"]
    person.enter(f"/renders/{first}")
    person.sees_page()

    again = "[...document.querySelectorAll('button')].find((e) => e.innerText === 'Render again')"
    person.browser.wait_for(f"{again} !== undefined")
    person.browser.value(f"(() => {{ const button = {again}; button.click(); button.click() }})()")

    person.browser.wait_for(f"!location.pathname.endsWith('{first}')")
    person.sees_page()
    second = person.browser.value("location.pathname.split('/').at(-1)")
    query = {"reference": "again-and-again"}
    found = client.http.get("/renders", params=query).json()["data"]
    assert {each["id"] for each in found} == {first, second}
    assert client.get(second)["metadata"]["repeat_of"] == first


def test_render_whose_contents_are_not_kept_is_not_offered_again(
    person: Person, client: ApiClient
) -> None:
    render = client.render().json()["id"]

    person.enter(f"/renders/{render}")

    person.sees_page()
    person.browser.wait_for("document.body.textContent.includes('templating')")
    assert "Render again" not in person.text(".topline")


def test_story_tells_what_became_of_webhooks(person: Person, client: ApiClient) -> None:
    webhook = {"url": "https://nobody.invalid/hook", "events": ["render.succeeded"]}

    render = client.render(webhook=webhook).json()["id"]
    person.enter(f"/renders/{render}")

    person.reads("Next attempt", within=".timeline")
    person.reads("render.succeeded", within=".timeline .bad")
