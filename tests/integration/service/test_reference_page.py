"""The pages for people in a real browser: reference, index of error codes, root."""

import json

import pytest

from chalicelib.core.problems import PROBLEMS
from infra.local.running_stack import RunningStack
from tests.builders.pages.visitor import Visitor, visitor

pytestmark = pytest.mark.integration

# By the languages of the samples, what only that language has.
MARKS = {
    "curl": "curl -sS",
    "Python": "requests.post(",
    "TypeScript": "await fetch(",
    "PHP": "curl_init(",
    "Java": "HttpRequest.newBuilder(",
    "Go": "http.NewRequest(",
    "C#": "new HttpRequestMessage(HttpMethod.Post",
}
LONGEST_CODE = max(PROBLEMS, key=len)
MAX_BYTES = 600_000
READY = "document.documentElement.dataset.state === 'ready'"
SHOWN = "document.querySelector('rapi-doc').shadowRoot"
TRIAL = f"{SHOWN}.querySelector('api-request')?.shadowRoot"
# Of the page, and of what scrolls in the component.
IS_TOO_WIDE = f"""[document.documentElement, {SHOWN}?.querySelector('main')]
    .filter(Boolean).some((box) => box.scrollWidth > box.clientWidth)"""


def open_reference(page: Visitor, place: str = "", **window: int | bool) -> None:
    page.call("Page.navigate", url="about:blank")
    page.open(f"/docs{place}", **window)  # type: ignore[arg-type]
    page.wait_for(READY)


def open_operation(page: Visitor, place: str, **window: int | bool) -> None:
    open_reference(page, place, **window)
    page.wait_for(f"{TRIAL}?.querySelector('[part~=btn-try]') != null")


def test_everything_that_the_reference_loads_is_small(page: Visitor) -> None:
    page.call("Network.clearBrowserCache")
    page.received_bytes.clear()

    open_reference(page)

    names = sorted(url.rpartition("/")[2] for url in page.received_bytes if "/" in url)
    assert {"docs", "openapi.json", "rapidoc.js", "reference.js", "samples.js"} <= set(names)
    assert sum(page.received_bytes.values()) < MAX_BYTES


@pytest.mark.parametrize("words", ["createRender", "/v1/renders post", "make a document"])
def test_search_finds_an_operation_and_leads_to_it(page: Visitor, words: str) -> None:
    open_reference(page)

    page.value("document.querySelector('#search').focus()")
    page.type_text(words)
    links = page.wait_for("[...document.querySelectorAll('#found a')].map((link) => link.hash)")
    page.value("document.querySelector('#search').form.requestSubmit()")

    assert "#post-/v1/renders" in links
    assert links[0] == "#post-/v1/renders"
    assert page.wait_for(f"{SHOWN}.querySelector('h2')?.innerText") == "Make a document"


def test_search_says_when_it_finds_nothing(page: Visitor) -> None:
    open_reference(page)

    page.value("document.querySelector('#search').focus()")
    page.type_text("no operation is called so")

    assert page.value("document.querySelector('#found').innerText").startswith("No operation")


def test_an_operation_id_leads_to_its_operation(page: Visitor) -> None:
    open_reference(page, "#createRender")

    assert page.wait_for(f"{SHOWN}.querySelector('h2')?.innerText") == "Make a document"


def test_samples_are_shown_in_all_languages(page: Visitor) -> None:
    open_operation(page, "#post-/v1/renders")

    labels = f"[...{SHOWN}.querySelectorAll('.tab-btn')].map((tab) => tab.innerText.trim())"
    assert page.value(labels) == list(MARKS)
    for number, language in enumerate(MARKS):
        page.value(f"{SHOWN}.querySelectorAll('.tab-btn')[{number}].click()")
        shown = page.value(
            f"[...{SHOWN}.querySelectorAll('.tab-content')]"
            ".filter((each) => getComputedStyle(each).display !== 'none')"
            ".map((each) => each.innerText)"
        )
        assert len(shown) == 1
        assert MARKS[language] in shown[0]
        assert "/v1/renders" in shown[0]
        assert "PLATEN_API_KEY" in shown[0]


def test_a_try_with_the_callers_key_makes_a_render(page: Visitor, stack: RunningStack) -> None:
    open_operation(page, "#post-/v1/renders")
    body = {"input": {"type": "html", "html": "<h1>Tried</h1>"}, "reference": "from the page"}

    page.value("document.querySelector('#key').focus()")
    page.type_text(stack.test_key)
    page.value("document.querySelector('#key').blur()")
    field = f"{TRIAL}.querySelector('textarea.request-body-param-user-input')"
    page.value(f"Object.assign({field}, {{value: {json.dumps(json.dumps(body))}}}).tagName")
    page.value(f"{TRIAL}.querySelector('[part~=btn-try]').click()")
    answer = page.wait_for(
        f"[...{TRIAL}.querySelectorAll('pre')].map((each) => each.innerText)"
        '.find((text) => text.includes(\'"object": "render"\'))'
    )

    assert '"from the page"' in answer
    assert page.value("sessionStorage.length") == 1
    assert page.value("localStorage.length") == 0
    assert page.value("document.cookie") == ""
    sent = [request for request in page.requests if stack.test_key in json.dumps(request)]
    assert {(request["method"], request["url"]) for request in sent} == {
        ("POST", f"{stack.base_url}/renders")
    }
    open_reference(page, "#post-/v1/renders")
    assert page.value("document.querySelector('#key').value") == stack.test_key


def test_error_codes_of_answers_lead_to_their_pages(page: Visitor) -> None:
    open_operation(page, "#post-/v1/renders")

    links = page.value(
        f"[...{SHOWN}.querySelector('api-response').shadowRoot.querySelectorAll('a')]"
        ".map((link) => link.getAttribute('href'))"
    )

    assert "/errors/validation_error" in links


@pytest.mark.parametrize("path", ["/", "/docs#post-/v1/renders", "/errors", "/errors/not_found"])
def test_pages_are_dark_where_the_visitor_likes_that(page: Visitor, path: str) -> None:
    def colours(*, dark: bool) -> set[str]:
        page.call("Page.navigate", url="about:blank")
        if path.startswith("/docs"):
            open_operation(page, path.removeprefix("/docs"), dark=dark)
            shown = f"document.body, {SHOWN}.querySelector('h2'), {SHOWN}.querySelector('main')"
        else:
            page.open(path, dark=dark)
            shown = "document.body"
        return set(
            page.value(
                f"[{shown}].map((each) => getComputedStyle(each))"
                ".flatMap((style) => [style.color, style.backgroundColor])"
            )
        ) - {"rgba(0, 0, 0, 0)"}

    assert not colours(dark=False) & colours(dark=True)


@pytest.mark.parametrize("width", [390, 400, 1440])
@pytest.mark.parametrize("path", ["/", "/errors", f"/errors/{LONGEST_CODE}"])
def test_no_page_scrolls_sideways(page: Visitor, path: str, width: int) -> None:
    page.open(path, width=width)

    assert not page.value(IS_TOO_WIDE.replace(SHOWN, "document"))


@pytest.mark.parametrize("operation", ["post-/v1/renders", "get-/v1/renders/-id-/logs"])
def test_the_reference_does_not_scroll_sideways_in_a_narrow_window(
    page: Visitor, operation: str
) -> None:
    open_operation(page, f"#{operation}", width=400)

    assert not page.value(IS_TOO_WIDE)
    page.value("document.querySelector('#search').focus()")
    assert page.wait_for("document.querySelectorAll('#found a').length") > 100


def test_index_of_error_codes_is_searched(page: Visitor) -> None:
    page.open("/errors")
    shown = "[...document.querySelectorAll('.codes li:not([hidden]) code')].map(c => c.innerText)"
    everything = page.value(shown)

    page.value("document.querySelector('#search').focus()")
    page.type_text("423 locked")

    assert page.value(shown) == ["template_locked"]
    assert page.value("document.querySelectorAll('.codes:not([hidden])').length") == 1
    page.type_text(" nothing")
    assert page.value("document.querySelector('#none').innerText") == "No code has these words."
    page.open("/")
    page.open("/errors#locked")
    assert set(page.value(shown)) < set(everything)


def test_another_address_of_the_service_says_where_try_it_works(stack: RunningStack) -> None:
    port = stack.files_host.rpartition(":")[2]
    with visitor(f"http://localhost:{port}") as elsewhere:
        elsewhere.open("/docs")
        elsewhere.wait_for(READY)

        notice = elsewhere.value("document.querySelector('#elsewhere').innerText")
        assert notice == f"Try-it works at {stack.files_host}/docs."
        assert elsewhere.foreign_urls == []
