"""A new batch: its file, its columns, its start."""

import json

import pytest

from tests.builders.stack.tenants import Tenants
from tests.integration.console.batches.conftest import Batches, choose, start
from tests.integration.console.person import Person

pytestmark = pytest.mark.integration

CSV = 'Full name,address.city,total,_filename\nAda,London,19.90,ada\n"Hopper, Grace",York,7,grace\n'


def path_of(person: Person, column: str, path: str) -> None:
    """Type the path that a column fills."""
    field = (
        f"document.querySelector('input[aria-label=' + JSON.stringify('Path of {column}') + ']')"
    )
    person.browser.wait_for(f"{field} !== null")
    person.browser.value(f"{field}.focus(), {field}.select()")
    person.browser.type_text(path)


def test_csv_becomes_documents(person: Person, batches: Batches, letter: str) -> None:
    person.enter(f"/batches/new?template={letter}")
    choose(person, "people.csv", CSV)
    path_of(person, "Full name", "name")
    person.sees_page()

    batch = batches.ended(start(person))

    assert (batch["total"], batch["succeeded"], batch["template_id"]) == (2, 2, letter)
    assert [item["filename"] for item in batches.items(batch["id"])] == ["ada", "grace"]
    person.reads("2 succeeded", within=".progress")
    person.sees_page()


def test_columns_of_other_names_find_their_places(person: Person, batches: Batches) -> None:
    """The template's schema tells the paths: case, blanks and dots do not matter."""
    properties = {
        "name": {"type": "string"},
        "address": {"type": "object", "properties": {"city": {"type": "string"}}},
        "total": {"type": "string"},
    }
    schema = {"type": "object", "properties": properties, "required": ["name"]}
    template = batches.template("Letter with a schema", schema=schema)
    person.enter(f"/batches/new?template={template}")
    choose(person, "people.csv", "NAME;Address City;Notes\nAda;London;x\n")
    person.reads("No column fills: total", within=".new-batch-form")

    path_of(person, "Notes", "total")
    person.browser.wait_for("document.querySelector('.new-batch-form .warn-note') === null")
    batch = batches.ended(start(person))

    assert batch["total"] == 1
    (render,) = batches.http.get(f"/renders?batch_id={batch['id']}").json()["data"]
    # "x" is no sum: the data have arrived at their places.
    assert render["error"]["code"] == "template_runtime_error", render


def test_lines_of_json_are_data_or_items(person: Person, batches: Batches, letter: str) -> None:
    data = {"name": "Ada", "address": {"city": "London"}, "total": "1"}
    lines = [{"data": data, "reference": "4711"}, {"data": data}]
    person.enter(f"/batches/new?template={letter}")
    choose(person, "items.jsonl", "\n".join(map(json.dumps, lines)))
    person.browser.wait_for(
        "document.querySelector('.segments [aria-pressed=true]')?.innerText"
        " === 'A whole item with data'"
    )
    person.sees_page()

    first = batches.ended(start(person))
    person.enter(f"/batches/new?template={letter}")
    choose(person, "data.json", json.dumps([data, data, data]))
    second = batches.ended(start(person))

    assert (first["succeeded"], second["succeeded"]) == (2, 3)
    assert batches.items(first["id"])[0]["reference"] == "4711"


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("empty.csv", "", "empty.csv is empty"),
        ("blank.csv", "\n\n", "blank.csv is empty"),
        ("head.csv", "name,total\n", "has a header and no rows"),
        ("book.xlsx", b"PK\x03\x04\x14\x00\x00", "is a workbook or a ZIP"),
        ("page.html", "<!DOCTYPE html><p>x", "is a PDF, HTML or XML"),
        ("latin.csv", "name\nJos\xe9\n".encode("latin-1"), "is not text in UTF-8"),
        ("twice.csv", "a,b,a\n1,2,3\n", "Two columns are named"),
        ("gap.csv", "a,,c\n1,2,3\n", "Column 2 has no name"),
        ("bad.jsonl", '{"a": 1}\n{"a": \n', "Line 2 is not an object in JSON"),
        ("list.json", '[{"a": 1}, 2]', "Entry 2 of the list is not an object"),
    ],
)
def test_wrong_files_are_told(
    person: Person, letter: str, name: str, content: str | bytes, told: str
) -> None:
    person.enter(f"/batches/new?template={letter}")

    choose(person, name, content)

    person.reads(told, within="[role=alert]")
    assert person.browser.value("document.querySelector('.topline .primary').disabled")


def test_a_wrong_file_is_replaced_by_a_right_one(
    person: Person, batches: Batches, letter: str
) -> None:
    person.enter(f"/batches/new?template={letter}")
    choose(person, "empty.csv", "")
    person.reads("is empty", within="[role=alert]")

    choose(person, "right.csv", "name,address.city,total\nAda,London,1\n")

    person.reads("right.csv", within=".drop")
    assert batches.ended(start(person))["succeeded"] == 1


def test_two_presses_start_one_batch(person: Person, batches: Batches) -> None:
    template = batches.template("Pressed twice")
    person.enter(f"/batches/new?template={template}")
    choose(person, "people.csv", "name,address.city,total\nAda,London,1\n")
    button = "document.querySelector('.topline .primary')"
    person.browser.wait_for(f"!{button}.disabled")

    person.browser.value(f"{{ const it = {button}; it.click(); it.click(); it.click() }}")

    person.browser.wait_for("/bat_/.test(location.pathname)")
    assert len(batches.of_template(template)) == 1
    assert len(person.sent("POST", "/batches")) == 1


def test_a_refused_start_is_repeated_with_the_same_key(person: Person, batches: Batches) -> None:
    """The first answer is lost: the second press finds the batch that the first has made."""
    template = batches.template("Lost answer")
    person.enter(f"/batches/new?template={template}")
    choose(person, "data.jsonl", '{"name": "Ada", "address": {"city": "x"}, "total": 1}')
    person.browser.value(
        "{ const real = window.fetch; window.fetch = async (...given) => { "
        "const answer = await real(...given);"
        "if (given[0].method === 'POST' && given[0].url?.endsWith('/batches')) {"
        "window.fetch = real; throw new TypeError('lost') } return answer } }"
    )
    person.press_button_that_begins("Start batch")
    person.reads("The service does not answer", within="[role=alert]")
    (made,) = batches.of_template(template)

    assert start(person) == made["id"]
    assert len(batches.of_template(template)) == 1


def test_hostile_cells_are_shown_as_text(person: Person, letter: str) -> None:
    attack = "<img src=x onerror='window.attacked = 1'><script>window.attacked = 1</script>"
    content = f'name,__proto__,constructor,=cmd\n"{attack}",a,b,=1+1\n'
    person.enter(f"/batches/new?template={letter}")

    choose(person, f"{attack}.csv", content)

    person.reads("window.attacked", within=".samples")
    person.reads("=cmd", within=".columns")
    person.reads("window.attacked", within=".drop")
    assert person.browser.value("({}).a === undefined && ({}).polluted === undefined")


def test_what_the_api_refuses_is_told(person: Person, letter: str) -> None:
    person.enter(f"/batches/new?template={letter}")
    choose(person, "people.csv", "a,b\n1,2\n")
    path_of(person, "a", "x")
    path_of(person, "b", "x.y")

    person.press_button_that_begins("Start batch")

    person.reads("/csv_mapping/x.y", within="[role=alert]")


def test_key_without_the_scope_is_not_offered_a_batch(person: Person, tenants: Tenants) -> None:
    workspace = tenants.create("Readers", "scale").workspace
    reader = tenants.operator.manage_keys.create(workspace, mode="test", scopes=["renders:read"])
    other = tenants.operator.manage_keys.create(
        workspace, mode="test", scopes=["render:write", "account:read"]
    )

    person.enter("/batches", key=reader.text)
    person.reads("No batches yet")
    # A key that may not read its account is offered everything; the API refuses.
    person.enter("/batches", key=other.text)
    person.reads("This key cannot open this view (scope renders:read).")
    assert "Batches" not in person.text(".rail")
    person.enter("/batches/new", key=other.text)
    person.reads("This key cannot list templates")


def test_test_key_of_many_rows_counts_them_all(person: Person, letter: str) -> None:
    rows = "".join(f"Name {number},City,{number}\n" for number in range(2_000))
    person.enter(f"/batches/new?template={letter}")

    choose(person, "many.csv", f"name,address.city,total\n{rows}a row of one field\n")

    person.reads("2,001 items", within=".drop")
    person.reads("1 row has another number of fields")
    person.browser.wait_for(
        "document.querySelector('.topline .primary').innerText.includes('2,001')"
    )


def test_live_key_renders_nothing_unasked(person: Person, tenants: Tenants) -> None:
    with tenants.create("A workspace that pays", "starter") as tenant:
        key = str(tenant.client.http.headers["Authorization"]).removeprefix("Bearer ")
        template = Batches(tenant.client).template("Paid letter")
        person.enter(f"/batches/new?template={template}", key=key)
        choose(person, "people.csv", "name,address.city,total\nAda,London,1\n")

        person.reads("With a live key each look is a billed render", within=".first-item")
        person.reads("up to 1 billed render", within=".topline")
        assert person.sent("POST", "/renders") == []
        person.press("Render this item")

        person.sees_page()
        assert len(person.sent("POST", "/renders")) == 1
