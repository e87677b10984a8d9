"""The playground: previews, what is wrong and where, options, examples, programs."""

import subprocess
import sys
from pathlib import Path

import pytest

from infra.local.running_stack import RunningStack
from infra.setup.steps import COMMANDS_DIR
from tests.builders.stack.api_client import ApiClient
from tests.builders.waiting import eventually
from tests.integration.console.conftest import draft
from tests.integration.console.person import Person

pytestmark = pytest.mark.integration

PAGES = "document.querySelector('.pdf-count').innerText"
THREE_PAGES = "<p>1</p><p style='break-before:page'>2</p><p style='break-before:page'>3</p>"


def test_preview_follows_what_is_typed(person: Person, stack: RunningStack) -> None:
    person.enter("/playground", draft=draft("<p>One</p>"))
    person.sees_page()
    assert person.browser.value(PAGES) == "Page 1 of 1"

    person.type_first(THREE_PAGES)

    person.browser.wait_for(f"{PAGES} === 'Page 1 of 3'")
    with ApiClient(stack, stack.test_key) as client:
        previews = client.http.get("/renders", params={"metadata[console]": "preview"}).json()
        newest = previews["data"][0]["id"]
        log = client.http.get(f"/renders/{newest}/logs").json()
    delivery = log["request"]["delivery"]
    assert (delivery["type"], delivery["hosted"]) == ("base64", False)


def test_older_answer_does_not_replace_a_newer_one(person: Person) -> None:
    late = {"expression": "window.isNew || performance.now() > 9000", "timeout_ms": 30_000}
    person.enter("/playground", draft=draft("<p>Old</p>", wait=late))
    eventually(lambda: person.sent("POST", "/renders"))

    person.type_first(f"<script>isNew = true</script>{THREE_PAGES}")

    person.browser.wait_for(f"document.querySelector('.pdf-count') && {PAGES} === 'Page 1 of 3'")
    newer = person.text(".timing")
    # The browser lists a request when it has ended: with an answer, or because it was given up.
    finished = "performance.getEntriesByType('resource')"
    person.browser.wait_for(
        f"{finished}.filter((each) => each.name.endsWith('/renders')).length > 1"
    )
    person.browser.value("new Promise((resolve) => setTimeout(resolve, 500))")
    assert person.text(".timing") == newer
    assert person.browser.value(PAGES) == "Page 1 of 3"


def test_broken_data_are_named_at_their_line_and_not_sent(person: Person) -> None:
    person.enter("/playground?tab=data", draft=draft("<p>{{ a }}</p>", '{\n  "a": 1,\n  oops\n}'))

    person.reads("Data, line 3", within=".fault")
    assert person.sent("POST", "/renders") == []


def test_error_of_a_template_leads_to_its_line(person: Person) -> None:
    person.enter("/playground?tab=css", draft=draft("<p>\n{% if %}</p>", "{}"))

    person.reads("Template has a syntax error", within=".preview [role=alert]")
    person.press("2:7")

    person.browser.wait_for("location.search.includes('tab=html')")
    line = (
        "document.querySelector('.editor').shadowRoot?.querySelector('.cm-activeLine')?.innerText"
    )
    person.browser.wait_for(f"{line} === '{{% if %}}</p>'")


def test_refused_option_leads_to_its_field(person: Person) -> None:
    person.enter("/playground?panel=explain", draft=draft("<p>", pdf={"margin": {"top": "wide"}}))

    person.press("/output/pdf/margin/top")

    person.browser.wait_for("document.activeElement.value === 'wide'")


def test_warnings_and_stages_are_shown(person: Person) -> None:
    document = "<p style='font-family: Nowhere'>a<img src=gone.png></p><p>{{ nothing }}</p>"
    person.enter("/playground?panel=warnings", draft=draft(document, "{}"))

    person.reads("undefined_value", within=".inspector")
    person.reads("asset_failed", within=".inspector")
    person.press("Explain")
    person.reads("Nowhere", within=".inspector")
    person.reads("Print", within=".stage-table")


def test_example_is_loaded_by_its_address(person: Person) -> None:
    person.enter("/playground?example=contract", draft=draft(""))

    person.browser.wait_for("document.querySelectorAll('.thumbs button').length === 12")
    person.browser.wait_for("!location.search.includes('example')")


def test_rendered_document_is_kept_and_linked(person: Person) -> None:
    person.enter("/playground", draft=draft("<h1>Keep me</h1>"))
    person.sees_page()

    person.press("Render")
    person.press("Open the render")

    person.sees_page()
    person.reads("Succeeded", within=".timeline")


@pytest.mark.parametrize("language", ["curl", "Python", "TypeScript"])
def test_copied_program_makes_the_document(
    person: Person, stack: RunningStack, tmp_path: Path, language: str
) -> None:
    awkward = '<h1>It\'s "{{ name }}" \\ $HOME `x` </h1>'
    person.enter("/playground", draft=draft(awkward, '{"name": "Zoë\\n", "is": true, "no": null}'))
    person.sees_page()
    person.browser.value("navigator.clipboard.writeText = async (text) => { window.copied = text }")

    person.press("Copy as")
    person.press(language)

    program = person.browser.wait_for("window.copied")
    command = {
        "curl": ["bash", "-c", program],
        "Python": [sys.executable, "-c", program],
        "TypeScript": ["node", "--input-type=module", "-e", program],
    }[language]
    environment = {"PLATEN_KEY": stack.test_key, "PATH": f"{COMMANDS_DIR}:/usr/bin:/bin"}
    subprocess.run(command, cwd=tmp_path, env=environment, check=True)
    assert (tmp_path / "document.pdf").read_bytes().startswith(b"%PDF-")
