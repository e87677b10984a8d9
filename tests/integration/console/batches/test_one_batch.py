"""One batch: its progress, its items, its failures, and what can be done with it."""

import csv
import io
import json
from typing import Any

import pytest

from tests.builders.waiting import eventually
from tests.integration.console.batches.conftest import Batches
from tests.integration.console.person import PAGE_IS_DRAWN, Person

pytestmark = pytest.mark.integration

ATTACK = "<script>window.attacked = 1</script><img src=x onerror='window.attacked = 1'>"
NEVER = {"wait": {"expression": "Date.now() > 4e12", "timeout_ms": 60_000}}
SLIDER = "document.querySelector('.item-grid [role=slider]')"
ROWS = "document.querySelectorAll('.item-body .item-row').length"


def letter_to(name: str | None, **more: Any) -> dict[str, Any]:
    """Return an item, which fails without a name."""
    data = {"address": {"city": "London"}, "total": "1"}
    return {"data": data if name is None else data | {"name": name}, **more}


def press_key(person: Person, key: str) -> None:
    for kind in ("keyDown", "keyUp"):
        person.browser.call("Input.dispatchKeyEvent", type=kind, key=key)


def test_batch_is_followed_until_it_has_ended(
    person: Person, batches: Batches, letter: str
) -> None:
    batch = batches.create(letter, [letter_to("Ada")] * 3 + [letter_to(None)])

    person.enter(f"/batches/{batch}")

    person.reads("Completed", within=".topline")
    person.reads("3 succeeded", within=".progress")
    person.reads("1 failed", within=".progress")
    person.sees_page()
    person.browser.requests.clear()
    person.press("Failed")
    person.browser.wait_for(f"{ROWS} === 1")
    assert person.sent("GET", f"/batches/{batch}") == []


def test_causes_are_counted_and_lead_to_items(
    person: Person, batches: Batches, letter: str
) -> None:
    wrong = letter_to("Ada")
    wrong["data"]["total"] = "many"
    batch = batches.create(letter, [letter_to(None), wrong, letter_to(None), letter_to("Ada")])
    batches.ended(batch)

    person.enter(f"/batches/{batch}")

    person.reads("'name' is undefined", within=".failures li:first-child")
    assert [person.text(f".cause:nth-child({number}) b")[0] for number in (1, 2)] == ["2", "1"]
    person.press("3")
    person.reads("Item 3", within=".item-pane h2")
    person.reads("'name' is undefined", within=".item-pane [role=alert]")
    assert person.browser.value("location.search") == "?item=2"


def test_squares_are_moved_over_with_keys(person: Person, batches: Batches, letter: str) -> None:
    batch = batches.create(letter, [letter_to("Ada", reference="first"), letter_to(None)])
    batches.ended(batch)
    person.enter(f"/batches/{batch}")
    person.browser.wait_for(f"{SLIDER} !== null")

    person.browser.value(f"{SLIDER}.focus()")
    press_key(person, "ArrowRight")

    person.browser.wait_for(f"{SLIDER}.ariaValueText.includes('Item 2, Failed')")
    press_key(person, "Enter")
    person.reads("Item 2", within=".item-pane h2")


def test_failed_items_are_rendered_again(person: Person, batches: Batches) -> None:
    template = batches.template("Letter to retry")
    batch = batches.create(template, [letter_to("Ada"), letter_to(None)])
    before = batches.ended(batch)
    person.enter(f"/batches/{batch}")

    person.press("Retry 1 failed")

    eventually(lambda: batches.get(batch)["completed_at"] not in {None, before["completed_at"]})
    person.reads("Completed", within=".topline")
    (failed,) = [item for item in batches.items(batch) if item["status"] == "failed"]
    assert failed["previous_render_id"] is not None
    person.browser.wait_for(
        "document.querySelector('.topline .primary')?.innerText === 'Retry 1 failed'"
    )
    person.press("Failed")
    person.press("2")
    person.reads(failed["previous_render_id"], within=".item-pane")


def test_batch_is_canceled_after_a_question(person: Person, batches: Batches) -> None:
    template = batches.template("Letter without an end")
    batch = batches.create(template, [letter_to("Ada")] * 150, output=NEVER)
    person.enter(f"/batches/{batch}")
    person.reads("running", within=".progress")

    person.press("Cancel batch")
    person.browser.wait_for("document.querySelector('dialog[open]') !== null")
    assert batches.get(batch)["status"] == "processing"
    person.press("Keep it running")
    person.press("Cancel batch")
    person.browser.value("document.querySelector('dialog[open] .danger').click()")

    eventually(lambda: batches.get(batch)["canceled"] >= 50)


def test_two_thousand_items_make_few_rows(person: Person, batches: Batches, letter: str) -> None:
    """Only what is in sight exists, and the end of the list is reached."""
    batch = batches.create(letter, [letter_to("Ada", reference=f"n-{n}") for n in range(2_000)])
    batches.http.post(f"/batches/{batch}/cancel").raise_for_status()
    total = batches.ended(batch)
    assert total["total"] == 2_000

    person.enter(f"/batches/{batch}")

    person.browser.wait_for(f"{SLIDER}?.ariaValueMax === '2000'")
    assert 5 < person.browser.value(ROWS) < 60
    assert person.browser.value("document.querySelectorAll('*').length") < 1_000
    person.browser.value("document.querySelector('.batch-main').scrollTop = 1e9")
    person.reads("n-1999", within=".item-body")
    assert person.browser.value(ROWS) < 60
    person.browser.resize(390)
    person.browser.wait_for(f"{ROWS} > 0")
    assert person.browser.value(ROWS) < 60


def test_failures_are_a_file_without_formulas(
    person: Person, batches: Batches, letter: str
) -> None:
    references = [
        "=cmd|' /C calc'!A0",
        "+1",
        "-1",
        "@SUM(1)",
        "\t=1",
        ATTACK,
        'a "quote", and\nlines',
    ]
    batch = batches.create(letter, [letter_to(None, reference=each) for each in references])
    batches.ended(batch)
    person.enter(f"/batches/{batch}")
    person.reads("7", within=".cause")
    person.browser.value(
        "{ window.made = []; const real = URL.createObjectURL;"
        "URL.createObjectURL = (blob) => { made.push(blob); return real(blob) } }"
    )
    person.browser.call("Browser.setDownloadBehavior", behavior="deny")

    person.press("Download failures")

    person.browser.wait_for("made.length === 1")
    # `Blob.text` leaves the mark of UTF-8 out.
    text = person.browser.value(
        "made[0].arrayBuffer().then("
        "(it) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(it))"
    )
    assert text.startswith("\ufeff")
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))
    assert [row["index"] for row in rows] == [str(number) for number in range(7)]
    assert [row["reference"] for row in rows] == [
        *(f"'{each}" for each in references[:5]),
        *references[5:],
    ]
    assert {row["code"] for row in rows} == {"template_runtime_error"}
    # A message that begins with a quote is no formula, and stays as it is.
    assert {row["message"] for row in rows} == {"'name' is undefined"}


def test_hostile_names_are_shown_as_text(person: Person, batches: Batches, letter: str) -> None:
    item = letter_to("Ada", reference=ATTACK, filename=ATTACK)
    batch = batches.create(letter, [item], reference=ATTACK, metadata={"<b>": ATTACK})
    batches.ended(batch)

    person.enter("/batches")
    person.reads("window.attacked", within=".rows")
    person.enter(f"/batches/{batch}")

    person.reads("window.attacked", within="h1")
    person.reads("window.attacked", within=".item-body")
    person.browser.wait_for(PAGE_IS_DRAWN)


def test_list_has_its_filters_in_the_address(person: Person, batches: Batches, letter: str) -> None:
    batch = batches.create(letter, [letter_to("Ada")], reference="find-this-batch")
    batches.ended(batch)

    person.enter(f"/batches?reference=find-this-batch&template_id={letter}")

    person.reads("find-this-batch", within=".rows")
    person.press("Canceled")
    person.reads("No batch matches these filters")
    assert "status=canceled" in person.browser.value("location.search")
    person.press("Clear filters")
    person.press("find-this-batch")
    person.reads("find-this-batch", within="h1")
    person.browser.value("history.back()")
    person.reads("find-this-batch", within=".rows")


def test_unknown_batch_shows_the_problem(person: Person) -> None:
    person.enter("/batches/bat_01M7Z1HM8GTX278DM4WH5PWBJK")

    person.reads("req_", within="[role=alert]")
    assert json.dumps(person.text("[role=alert]")).count("not_found") == 1
