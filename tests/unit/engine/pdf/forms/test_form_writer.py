"""Form fields of marks, which a page may have made itself, with any names and numbers."""

import io
import json
import time
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import quote

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from chalicelib.engine.browser.output.form_fields import FIELD_URL, MAX_FORM_FIELDS
from chalicelib.engine.finishing.form_fields import FORM_FIELDS
from chalicelib.engine.pdf.forms.form_fields import FormField, form_fields
from chalicelib.engine.pdf.forms.form_writer import color_operator
from infra.local.paths import INSTALL_DIR
from tests.builders.pdfs.content import blank

CONTROL: dict[str, Any] = {
    "index": 0,
    "kind": "text",
    "name": "a",
    "form": -1,
    "value": "",
    "is_on": False,
    "options": [],
    "is_list": False,
    "is_multiple": False,
    "is_password": False,
    "is_read_only": False,
    "is_required": False,
    "max_length": 0,
    "label": "",
    "size": 9.0,
    "color": "rgb(0, 0, 0)",
    "align": "start",
    "family": "Arial",
    "is_bold": False,
    "is_italic": False,
}
OWN = "https://example.com/"


def control(number: int, **members: Any) -> str:
    return FIELD_URL + quote(json.dumps(CONTROL | {"index": number} | members))


def linked(*urls: str) -> pikepdf.Pdf:
    """Return a document with a link for each URL, and an element of its structure for each."""
    document = blank((300, 400))
    page, root = document.pages[0].obj, document.make_indirect(Dictionary(K=Array()))
    document.Root.StructTreeRoot = root
    parents = pikepdf.NumberTree.new(document)
    root.ParentTree = parents.obj
    page.Annots = Array()
    for number, url in enumerate(urls):
        link = document.make_indirect(
            Dictionary(
                Type=Name.Annot,
                Subtype=Name.Link,
                Rect=Array([10, 10, 200, 40]),
                StructParent=number,
                A=Dictionary(S=Name.URI, URI=String(url)),
            )
        )
        page.Annots.append(link)
        reference = Dictionary(Type=Name.OBJR, Obj=link, Pg=page)
        element = document.make_indirect(Dictionary(S=Name.Link, P=root, K=Array([reference])))
        root.K.append(element)
        parents[number] = element
    return document


def with_form(*urls: str) -> pikepdf.Pdf:
    document = linked(*urls)
    context = SimpleNamespace(fonts_dir=INSTALL_DIR / "fonts")
    FORM_FIELDS.apply(document, cast("Any", context))
    return document


def fields_of(document: pikepdf.Pdf) -> dict[str, FormField]:
    return form_fields(document.Root.AcroForm)


def written(document: pikepdf.Pdf) -> bytes:
    result = io.BytesIO()
    document.save(result, compress_streams=False)
    return result.getvalue()


@pytest.mark.parametrize(
    ("color", "operator"),
    [
        ("rgb(255, 0, 51)", "1.0000 0.0000 0.2000 rg"),
        ("rgba(0, 255, 0, 0.5)", "0.0000 1.0000 0.0000 rg"),
        ("rgb(0.000001, 999, 0)", "0.0000 1.0000 0.0000 rg"),
        ("rgb(., 1, 2)", "0 g"),
        ("rgb(1)", "0 g"),
        ("color(srgb 1 0 0)", "0 g"),
        ("", "0 g"),
    ],
)
def test_color_is_a_valid_operator(color: str, operator: str) -> None:
    assert color_operator(color) == operator


@pytest.mark.parametrize(
    ("names", "made"),
    [
        (["address", "address.street"], ["address-2", "address.street"]),
        (["address.street", "address"], ["address-2", "address.street"]),
        (["a", "a-2", "a.b.c", "a.b"], ["a-2", "a-3", "a.b-2", "a.b.c"]),
        (["a..b", "a.b", ".a.b."], ["a.b", "a.b-2", "a.b-3"]),
        (["...", ""], ["field", "text-2"]),
        (["x" * 600] * 2, ["x" * 500, "x" * 500 + "-2"]),
        (["a." * 300], [".".join("a" * 20) + "." + "-".join("a" * 230)]),
    ],
)
def test_names_are_of_one_field_each(names: list[str], made: list[str]) -> None:
    document = with_form(*(control(n, name=name) for n, name in enumerate(names)))

    found = fields_of(document)
    assert sorted(found) == made
    assert [each.twins for each in found.values()] == [[]] * len(names)
    names_at_the_root = [str(each.T) for each in document.Root.AcroForm.Fields]
    assert len(set(names_at_the_root)) == len(names_at_the_root)


def test_long_names_make_few_groups_and_complete_fields() -> None:
    name = "a." * 10_000

    document = with_form(
        control(0, name=name), control(1, name=name, kind="checkbox", value="yes", is_on=True)
    )

    assert len(document.objects) < 100
    assert b"PlatenState" not in written(document)
    assert all("/AP" in each.widgets[0] for each in fields_of(document).values())


def test_names_of_all_fields_alike_take_no_time() -> None:
    started = time.process_time()

    document = with_form(*(control(n, name="a", kind="radio") for n in range(5)))
    many = with_form(*(control(n, kind="checkbox") for n in range(MAX_FORM_FIELDS)))

    assert list(fields_of(document)) == ["a"]
    assert len(fields_of(many)) == MAX_FORM_FIELDS
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    "members",
    [
        {"index": MAX_FORM_FIELDS},
        {"index": -1},
        {"max_length": 1e30},
        {"max_length": -1},
        {"value": "\ud800"},
        {"size": None},
    ],
)
def test_links_that_are_no_control_are_removed(members: dict[str, Any]) -> None:
    document = with_form(control(0, **{"value": "secret", **members}), OWN, FIELD_URL + "bad")

    assert "/AcroForm" not in document.Root
    (kept,) = document.pages[0].Annots
    assert str(kept.A.URI) == OWN
    assert FIELD_URL.encode() not in written(document)


def test_rest_of_a_broken_control_leaves_nothing_behind() -> None:
    url = control(0, value="secret")

    document = with_form(url, url, OWN)

    content = written(document)
    assert (content.count(b"form-field"), content.count(b"OBJR")) == (0, 2)
    kinds = [str(each.Subtype) for each in document.pages[0].Annots]
    assert kinds == ["/Widget", "/Link"]
    assert 1 not in pikepdf.NumberTree(document.Root.StructTreeRoot.ParentTree)


@pytest.mark.parametrize(("size", "written_size"), [(75_000, "2000"), (0.00001, "0"), (-3, "0")])
def test_size_is_a_number_of_a_pdf(size: float, written_size: str) -> None:
    document = with_form(control(0, size=size, value="x"))

    (field,) = fields_of(document).values()
    assert str(field.dictionary.DA) == f"/Helv {written_size} Tf 0.0000 0.0000 0.0000 rg"


def test_list_with_many_chosen_options_takes_no_time() -> None:
    started = time.process_time()
    options = [[f"{n}", "x", True] for n in range(20_000)]

    with_form(control(0, kind="select", is_list=True, is_multiple=True, options=options, size=0.01))

    assert time.process_time() - started < 5


@pytest.mark.parametrize("text", ["a" + "\u0301" * 100_000, "\u0628" + "\u064e" * 100_000])
def test_letter_with_many_marks_takes_no_time(text: str) -> None:
    started = time.process_time()

    with_form(control(0, value=text))

    assert time.process_time() - started < 10
