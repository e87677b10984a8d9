"""How the views of batches look: barriers, widths, pictures."""

import pytest

from tests.integration.console.batches.conftest import Batches, choose
from tests.integration.console.looks import PICTURES, WIDTHS, look_at
from tests.integration.console.person import PAGE_IS_DRAWN, Person

pytestmark = pytest.mark.integration

ROWS = "document.querySelector('.item-link') !== null"
# In a narrow window the document of an item is another view.
SHOWN = f"{ROWS} && (innerWidth < 800 || {PAGE_IS_DRAWN})"


def items(count: int) -> list[dict[str, object]]:
    """Return items of which some fail, for two causes."""
    return [
        {
            "data": {
                **({} if number % 9 == 5 else {"name": f"Ada {number}"}),
                "address": {"city": "London"},
                "total": "many" if number % 14 == 3 else "19.90",
            },
            "reference": f"INV-2026-{number + 1:04}",
            "filename": f"letter-{number + 1}",
        }
        for number in range(count)
    ]


@pytest.fixture(scope="module")
def mixed(batches: Batches, letter: str) -> str:
    """Give a batch that has ended, with failures of two causes and combined files."""
    batch = batches.create(
        letter,
        items(40),
        reference="Invoices of November",
        combine={"merged_pdf": True, "zip": True},
        metadata={"run": "2026-11"},
    )
    batches.ended(batch)
    return batch


@pytest.mark.usefixtures("mixed")
def test_list(person: Person) -> None:
    look_at(person, "batches", "/batches", "document.querySelector('.row-link') !== null")


def test_empty_list(person: Person) -> None:
    shown = "document.querySelector('.empty') !== null"
    look_at(person, "batches-none", "/batches?reference=nothing-has-this", shown)


def test_one_batch(person: Person, mixed: str) -> None:
    look_at(person, "batch", f"/batches/{mixed}", SHOWN)
    look_at(person, "batch-failures", f"/batches/{mixed}?status=failed", ROWS)


def test_one_item(person: Person, mixed: str) -> None:
    look_at(person, "batch-item", f"/batches/{mixed}?item=0", PAGE_IS_DRAWN)
    failed = "document.querySelector('.item-pane [role=alert]') !== null"
    look_at(person, "batch-failure", f"/batches/{mixed}?item=3", failed)


def test_running_batch(person: Person, batches: Batches, letter: str) -> None:
    batch = batches.create(letter, items(900), reference="A long run")

    look_at(person, "batch-running", f"/batches/{batch}", ROWS)

    batches.http.post(f"/batches/{batch}/cancel").raise_for_status()


def test_new_batch(person: Person, batches: Batches) -> None:
    address = {"type": "object", "properties": {"city": {"type": "string"}}}
    names = {"name": {"type": "string"}, "address": address, "total": {}, "due": {}}
    letter = batches.template("Reminder", schema={"type": "object", "properties": names})

    look_at(
        person,
        "batch-new",
        "/batches/new",
        "document.querySelector('.template-list button') !== null",
    )
    for dark in (False, True):
        person.enter(f"/batches/new?template={letter}", dark=dark)
        rows = "Ada Lovelace,London,19.90,first,ada\nGrace Hopper,New York,1200,second,grace\n"
        content = f"Name,City,Total,Notes,_filename\n{rows}"
        choose(person, "people.csv", content)
        for width in WIDTHS:
            person.browser.resize(width)
            person.browser.wait_for("document.querySelector('.columns input') !== null")
            assert not person.is_too_wide(), width
            if width == 1440:
                person.sees_page()
            if width in (390, 1440):
                assert person.barriers() == [], (width, dark)
                person.photograph(
                    PICTURES / f"batch-new-file-{width}-{'dark' if dark else 'light'}.png"
                )
