"""PDF tools: files are dropped, pages chosen and put in order, and the result is shown."""

import base64
import io
import json
from collections.abc import Iterator, Sequence

import pikepdf
import pytest

from infra.local.running_stack import RunningStack
from tests.builders.stack.api_client import ApiClient
from tests.integration.console.looks import look_at
from tests.integration.console.person import PAGE_IS_DRAWN, Person

pytestmark = pytest.mark.integration

ATTACK = "<img src=x onerror='window.attacked = 1'>.pdf"
PAGES = "document.querySelectorAll('.page-grid canvas[data-drawn]').length"
RESULT = "new URLSearchParams(location.search).get('result')"


@pytest.fixture
def client(stack: RunningStack) -> Iterator[ApiClient]:
    with ApiClient(stack, stack.test_key) as running:
        yield running


def pdf(widths: Sequence[int], password: str = "") -> bytes:
    """Return a PDF whose pages are told apart by their widths."""
    with pikepdf.new() as document:
        for width in widths:
            document.add_blank_page(page_size=(width, 300))
        file = io.BytesIO()
        sealed = pikepdf.Encryption(user=password, owner=password) if password else False
        document.save(file, encryption=sealed)
    return file.getvalue()


def drop(person: Person, *files: tuple[str, bytes]) -> None:
    """Let files fall on the view."""
    person.browser.wait_for("document.querySelector('.drop-area') !== null")
    named = json.dumps([[name, base64.b64encode(content).decode()] for name, content in files])
    person.browser.value(
        f"""(() => {{
          const dropped = new DataTransfer();
          for (const [name, text] of {named}) {{
            const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
            dropped.items.add(new File([bytes], name, {{ type: 'application/pdf' }}));
          }}
          const options = {{ bubbles: true, cancelable: true, dataTransfer: dropped }};
          document.querySelector('.drop-area').dispatchEvent(new DragEvent('drop', options));
        }})()"""
    )


def carry(person: Person, handle: str, arrow: str) -> None:
    """Move something by one place with the keyboard, as its announcements say."""
    told = "[...document.querySelectorAll('[id^=DndLive]')].map((e) => e.innerText).join('')"
    person.browser.value(f"{handle}.focus()")
    person.strike(" ")
    # Before it moves, it is said to be over its own place.
    person.browser.wait_for(f"/is over place [0-9]/.test({told})")
    before = person.browser.value(told)
    person.strike_until(arrow, f"{told} !== {json.dumps(before)}")
    person.strike(" ")
    person.browser.wait_for(f"/is at place [0-9]/.test({told})")


def result(person: Person, client: ApiClient) -> tuple[dict[str, object], list[bytes]]:
    """Return the render that the tool has made, and its files."""
    render = client.wait_until_final(str(person.browser.wait_for(RESULT)))
    files = [
        client.http.get(file["url"], follow_redirects=True).content for file in render["files"]
    ]
    return render, files


def widths(content: bytes) -> list[int]:
    with pikepdf.open(io.BytesIO(content)) as document:
        return [int(page.mediabox[2]) for page in document.pages]


def test_files_are_merged_in_the_order_of_their_rows(person: Person, client: ApiClient) -> None:
    person.enter("/tools")
    drop(person, ("first.pdf", pdf([100, 110])), (ATTACK, pdf([200])))
    person.browser.wait_for(f"{PAGES} === 3")
    person.reads(ATTACK, within=".source-rows")

    carry(person, "document.querySelectorAll('.drag')[1]", "ArrowUp")
    person.browser.wait_for("document.querySelector('.source-row').innerText.includes('onerror')")
    person.browser.value("document.querySelector('.topline .primary').click()")

    _, (merged,) = result(person, client)
    assert widths(merged) == [200, 100, 110]
    person.browser.wait_for(PAGE_IS_DRAWN)


def test_chosen_pages_are_extracted(person: Person, client: ApiClient) -> None:
    person.enter("/tools?tool=extract-pages")
    drop(person, ("a.pdf", pdf([100, 110, 120, 130, 140])))
    person.browser.wait_for(f"{PAGES} === 5")

    for page in (4, 2, 3):
        person.browser.value(f"document.querySelector('[aria-label=\"Page {page}\"]').click()")
    person.browser.wait_for("document.querySelector('#option-pages input').value === '2-4'")
    person.browser.value("document.querySelector('.topline .primary').click()")

    _, (extracted,) = result(person, client)
    assert widths(extracted) == [110, 120, 130]


def test_document_is_split_before_pages(person: Person, client: ApiClient) -> None:
    person.enter("/tools?tool=split")
    drop(person, ("a.pdf", pdf([100, 110, 120, 130])))
    person.browser.wait_for(f"{PAGES} === 4")

    for page in (4, 2):
        label = f"Begin a part with page {page}"
        person.browser.value(f"document.querySelector('[aria-label=\"{label}\"]').click()")
    person.reads("Parts: 1 | 2-3 | 4")
    person.browser.value("document.querySelector('.topline .primary').click()")

    _, parts = result(person, client)
    assert [widths(part) for part in parts] == [[100], [110, 120], [130]]


def test_pages_are_put_in_order_by_keyboard(person: Person, client: ApiClient) -> None:
    person.enter("/tools?tool=reorder")
    drop(person, ("a.pdf", pdf([100, 110, 120])))
    person.browser.wait_for(f"{PAGES} === 3")

    carry(person, "document.querySelector('[aria-label=\"Move page 3\"]')", "ArrowLeft")
    first = "document.querySelectorAll('.page-grid button')"
    person.browser.wait_for(f"{first}[1].getAttribute('aria-label') === 'Move page 3'")
    person.browser.value("document.querySelector('.topline .primary').click()")

    _, (ordered,) = result(person, client)
    assert widths(ordered) == [100, 120, 110]


def test_protected_file_is_opened_by_its_password(person: Person, client: ApiClient) -> None:
    person.enter("/tools?tool=unlock")
    drop(person, ("locked.pdf", pdf([100], password="open sesame")))
    person.reads("This file needs a password.")

    for password in ("wrong", "open sesame"):
        person.browser.value("document.querySelector('.source-lock input').select()")
        person.browser.type_text(password)
        person.press("Open")
        if password == "wrong":
            person.reads("This password does not open the file.")
    person.browser.wait_for(f"{PAGES} === 1")
    person.browser.value("document.querySelector('.topline .primary').click()")

    _, (unlocked,) = result(person, client)
    assert widths(unlocked) == [100]
    assert "open sesame" not in person.browser.value("JSON.stringify({...sessionStorage})")


def test_file_that_is_no_pdf_is_told(person: Person) -> None:
    person.enter("/tools?tool=flatten")
    drop(person, ("a.pdf", b"<script>window.attacked = 1</script>"))
    person.reads("This is not a PDF that can be shown.")

    person.browser.value("document.querySelector('.topline .primary').click()")

    person.reads("req_", within=".tool-options [role=alert]")


def test_wrong_option_is_told_at_its_field(person: Person) -> None:
    person.enter("/tools?tool=rotate")
    drop(person, ("a.pdf", pdf([100])))
    person.browser.wait_for(f"{PAGES} === 1")

    person.browser.value("document.querySelector('.topline .primary').click()")

    person.reads("/degrees", within=".tool-options [role=alert]")
    person.press("/degrees")
    inside = "document.activeElement?.closest('#option-degrees') !== null"
    person.browser.wait_for(inside)


def test_verdicts_are_shown(person: Person, client: ApiClient) -> None:
    person.enter("/tools?tool=validate")
    drop(person, ("a.pdf", pdf([100])))
    person.browser.wait_for(f"{PAGES} === 1")

    person.browser.value("document.querySelector('.topline .primary').click()")

    render, files = result(person, client)
    assert render["status"] == "succeeded"
    assert files == []
    person.browser.wait_for("document.querySelector('.tool-result') !== null")


@pytest.mark.parametrize("tool", ["merge", "watermark"])
def test_view_has_no_barrier(person: Person, tool: str) -> None:
    shown = "document.querySelector('.drop-call') !== null"

    look_at(person, f"tools-{tool}-empty", f"/tools?tool={tool}", shown)


def test_files_have_no_barrier(person: Person, client: ApiClient) -> None:
    names = ("Terms.pdf", "Offer.pdf")
    page = "<h1>{}</h1><p style='page-break-before: always'>Second page"
    renders = [client.render(page.format(name)).json() for name in names]
    files = [
        client.http.get(render["files"][0]["url"], follow_redirects=True).content
        for render in renders
    ]

    look_at(
        person,
        "tools-merge",
        "/tools?tool=merge",
        # Pages below the window are drawn once they are reached.
        f"{PAGES} >= 2",
        first=lambda: drop(person, *zip(names, files, strict=True)),
    )
