"""The tool `fill-form` in odd forms: missing parts, shared names, loops, scripts."""

import time
from typing import Any

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from chalicelib.contract.options.pdf_tools import FillFormOptions, FlattenOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.context import RenderWarning
from tests.builders.pdfs.content import opened, picture, run_tool, texts, tool_run
from tests.builders.pdfs.forms import (
    MULTILINE,
    RADIO,
    FormBuilder,
    field_values,
    fill,
    font_files,
    sample_form,
)

MAX_S = 5


def warnings_of(source: pikepdf.Pdf, fields: dict[str, Any]) -> list[RenderWarning]:
    options = FillFormOptions.from_json({"fields": fields})
    _, tool_input = tool_run(options, source, fonts=font_files())
    return tool_input.warnings


def refusal(fields: dict[str, Any], source: pikepdf.Pdf | None = None) -> tuple[str, str, str]:
    with pytest.raises(RenderFailure) as refused:
        fill(fields, source)
    assert refused.value.code == "validation_error"
    return refused.value.errors[0]


def shown(content: bytes) -> str:
    """Return the text that the fields show, once they are part of the page."""
    (text,) = texts(run_tool(FlattenOptions(), content, fonts=font_files()))
    return text


def field_values_of(content: bytes) -> list[str]:
    document = opened(content)
    return [str(each.V) for each in document.Root.AcroForm.Fields if "/V" in each]


def test_a_missing_appearance_or_font_of_the_form_is_no_hindrance() -> None:
    form = FormBuilder()
    form.field("a", "Tx", [10, 10, 90, 30])
    del form.form.DR
    del form.form.DA

    assert "grün" in shown(fill({"a": "grün"}, form.document))


def test_fields_of_one_name_are_one() -> None:
    form = FormBuilder()
    form.field("a", "Tx", [10, 10, 90, 30])
    form.field("a", "Tx", [10, 50, 90, 70])

    filled = fill({"a": "twice"}, form.document)

    assert shown(filled).count("twice") == 2
    assert field_values_of(filled) == ["twice"] * 2


def test_one_field_over_several_pages_shows_its_value_on_each() -> None:
    form = FormBuilder()
    first, second = form.widget([10, 10, 90, 30]), form.widget([10, 50, 90, 70])
    form.group("a", "Tx", [first, second])
    page = form.document.add_blank_page(page_size=(300, 400))
    page.Annots = Array([second])
    form.page.Annots = Array([first])

    filled = run_tool(FlattenOptions(), fill({"a": "both"}, form.document), fonts=font_files())

    assert [text.strip() for text in texts(filled)] == ["both", "both"]


def test_a_check_box_of_several_states_wants_one() -> None:
    form = FormBuilder()
    form.group("a", "Btn", [form.button([10, 10, 30, 30], on) for on in ("x", "y")])

    assert refusal({"a": True}, form.document)[1] == "not_allowed"
    assert field_values(fill({"a": "y"}, form.document))["a"] == "/y"


def test_export_values_name_buttons() -> None:
    form = FormBuilder()
    kids = [form.button([10 + 30 * n, 10, 30 + 30 * n, 30], str(n)) for n in range(2)]
    form.group("a", "Btn", kids, Ff=RADIO, Opt=Array([String("männlich"), String("weiblich")]))

    assert field_values(fill({"a": "weiblich"}, form.document))["a"] == "/1"


def test_a_turned_field_is_filled_along_its_side() -> None:
    form = FormBuilder()
    form.field("a", "Tx", [10, 10, 30, 200], MK={"/R": 90})

    image = picture(fill({"a": "along the side"}, form.document))

    column = image.crop((11, 201, 29, 389)).convert("L")
    rows = [y for y in range(column.height) if min(column.crop((0, y, 18, y + 1)).tobytes()) < 120]
    assert max(rows) - min(rows) > 70
    # It begins at the lower end.
    assert max(rows) > 180


def test_a_field_on_a_turned_page_is_filled() -> None:
    document = sample_form()
    document.pages[0].Rotate = 90

    assert "turned" in shown(fill({"name": "turned"}, document))


def test_xfa_and_scripts_are_told() -> None:
    document = sample_form()
    document.Root.AcroForm.XFA = document.make_stream(b"<xdp/>")
    document.Root.AcroForm.CO = Array([document.Root.AcroForm.Fields[0]])

    assert [each.detail for each in warnings_of(document, {"name": "x"})] == ["xfa", "scripts"]
    assert "/XFA" not in opened(fill({"name": "x"}, document)).Root.AcroForm


def test_fields_that_readers_were_asked_to_draw_are_drawn() -> None:
    form = FormBuilder()
    form.field("a", "Tx", [10, 10, 90, 30])
    stale = form.state(b"", (80, 20))
    form.field("b", "Tx", [10, 50, 90, 70], V=String("stored"), AP=Dictionary(N=stale))
    form.form.NeedAppearances = True

    filled = fill({"a": "x"}, form.document)

    assert "stored" in shown(filled)
    document = opened(filled)
    assert "/NeedAppearances" not in document.Root.AcroForm


def test_formatted_text_goes_with_the_old_value() -> None:
    form = FormBuilder()
    form.field("a", "Tx", [10, 10, 90, 30], V=String("old"), RV=String("<body>old</body>"))

    filled = opened(fill({"a": "new"}, form.document))
    assert "/RV" not in filled.Root.AcroForm.Fields[0]


def test_texts_from_right_to_left_stand_in_their_order() -> None:
    form = FormBuilder()
    form.field("a", "Tx", [10, 10, 90, 30])

    # pdfium turns what it reads on a page: the letters came in the order in which they stand.
    assert "שלום" in shown(fill({"a": "שלום"}, form.document))


def test_kids_that_contain_themselves_end() -> None:
    form = FormBuilder()
    form.field("a", "Tx", [10, 10, 90, 30])
    loop = form.document.make_indirect(Dictionary(T=String("loop")))
    loop.Kids = Array([loop])
    loop.Parent = loop
    form.form.Fields.append(loop)

    assert field_values_of(fill({"a": "x"}, form.document)) == ["x"]


def test_deep_fields_are_not_followed_for_ever() -> None:
    form = FormBuilder()
    form.field("a", "Tx", [10, 10, 90, 30])
    node = form.document.make_indirect(Dictionary(T=String("x"), FT=Name.Tx))
    for _ in range(3000):
        node = form.document.make_indirect(Dictionary(T=String("x"), Kids=Array([node])))
    form.form.Fields.append(node)

    assert field_values_of(fill({"a": "x"}, form.document)) == ["x"]


def test_many_characters_take_a_moment_only() -> None:
    form = FormBuilder()
    form.field("a", "Tx", [10, 10, 290, 390], Ff=MULTILINE, DA=String("/Helv 0 Tf 0 g"))

    assert len(fill({"a": "lorem ipsum dolor\n" * 3000}, form.document)) > 1000


@pytest.mark.parametrize("part", ["/", "1", "1 ", ".", "/a 1 "])
def test_hostile_default_appearance_is_read_in_linear_time(part: str) -> None:
    form = FormBuilder()
    form.field("a", "Tx", [10, 10, 90, 30], DA=String(part * (200_000 // len(part))))
    began = time.process_time()

    assert "value" in shown(fill({"a": "value"}, form.document))
    assert time.process_time() - began < MAX_S


def test_odd_entries_of_fields_are_borne() -> None:
    form = FormBuilder()
    form.field(
        "a",
        "Tx",
        [90, 30, 10, 10],
        DA=String("/ 1..2 Tf rg 0.5 g /X -9 Tf"),
        MaxLen=-1,
        Q=77,
        BS=Dictionary(W=500, S=Name.D, D=Array([0])),
        MK={"/BC": Array([1, 2]), "/R": 45},
    )
    form.field("b", "Tx", [0, 0, 0, 0])
    form.form.Fields.append(String("no field"))

    assert "value" in shown(fill({"a": "value", "b": "x"}, form.document))
