"""The tool `fill-form`: values that every reader shows, and values that do not fit."""

import io
from typing import Any

import pikepdf
import pypdf
import pytest
from pikepdf import Array, Dictionary, Name, String
from PIL import Image, ImageChops

from chalicelib.contract.options.pdf_tools import FieldValue, FillFormOptions, FlattenOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.job import RenderWarning
from tests.builders.pdfs.content import (
    blank,
    ink_box,
    opened,
    picture,
    run_tool,
    saved,
    texts,
    tool_run,
)
from tests.builders.pdfs.forms import (
    MULTILINE,
    RADIO,
    FormBuilder,
    field_values,
    font_files,
    sample_form,
)

EVERYTHING = {
    "name": "Zoë Müller-Łódź",
    "notes": "First line\nA long second line that must be broken somewhere. Ελληνικά 日本語",
    "code": "AB12",
    "secret": "hush",
    "amount": "1 234,50 €",
    "short": "xyz",
    "country": "fr",
    "size": "XL",
    "days": ["Tue", "Thu"],
    "agree": True,
    "color": "b",
    "bare": "no",
    "address.home/~.city": "Zürich",
}


def fill(fields: dict[str, Any], source: bytes | pikepdf.Pdf | None = None) -> bytes:
    options = FillFormOptions.from_json({"fields": fields})
    return run_tool(options, source or sample_form(), fonts=font_files())


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


def area(content: bytes, box: tuple[int, int, int, int], height: int = 400) -> Image.Image:
    """Return the picture of a box that is given as a PDF gives it."""
    left, bottom, right, top = box
    return picture(content).crop((left, height - top, right, height - bottom))


def ink(image: Image.Image) -> int:
    return sum(image.convert("L").histogram()[:120])


def test_another_reader_reads_the_values() -> None:
    values = field_values(fill(EVERYTHING))

    # pypdf splits no name, and shows states as names.
    assert values.pop("home/~.city") == "Zürich"
    assert values.pop("agree") == "/Yes"
    assert values.pop("color") == "/b"
    assert values.pop("bare") == "/1"
    texts_and_choices = {name: values[name] for name in values if values[name] is not None}
    assert texts_and_choices == {name: EVERYTHING[name] for name in texts_and_choices}
    assert len(texts_and_choices) == 9


def test_readers_show_the_values_without_drawing_them() -> None:
    filled = fill(EVERYTHING)

    text = shown(filled)

    for value in ("Zoë Müller-Łódź", "First line", "Ελληνικά", "日本語", "1 234,50 €", "France"):
        assert value in text
    assert "****" in text
    assert "hush" not in text
    assert "/NeedAppearances" not in opened(filled).Root.AcroForm


def test_drawn_fonts_are_embedded_and_small() -> None:
    filled = fill({"name": "Łódź 日本"})

    document = opened(filled)
    embedded = [
        (str(each.BaseFont), each.FontDescriptor.FontFile2.read_bytes())
        for each in document.objects
        if isinstance(each, pikepdf.Dictionary) and each.get("/Subtype") == Name.CIDFontType2
    ]
    assert sorted(name for name, _ in embedded) == [
        "/PLATEN+Arimo-400Regular",
        "/PLATEN+NotoSansJP-400Regular",
    ]
    assert len(filled) < 20_000
    for _, program in embedded:
        # The sum over a whole font is fixed (OpenType, "head").
        words = [int.from_bytes(program[n : n + 4]) for n in range(0, len(program), 4)]
        assert sum(words) & 0xFFFFFFFF == 0xB1B0AFBA


@pytest.mark.parametrize(
    ("field", "value", "box"),
    [
        ("name", "Zoë", (10, 360, 190, 380)),
        ("notes", "a\nb", (10, 290, 190, 350)),
        ("code", "123456789", (10, 260, 190, 280)),
        ("secret", "x", (10, 230, 190, 250)),
        ("amount", "5", (10, 200, 190, 220)),
        ("short", "q", (200, 360, 290, 380)),
        ("country", "Germany", (10, 170, 190, 190)),
        ("size", "S", (200, 330, 290, 350)),
        ("agree", True, (10, 130, 30, 150)),
        ("agree", "Yes", (10, 130, 30, 150)),
        ("color", "c", (70, 100, 90, 120)),
        ("bare", "yes", (10, 70, 30, 90)),
        ("address.home/~.city", "Bern", (10, 40, 190, 60)),
    ],
)
def test_a_value_is_drawn_in_its_own_field(
    field: str, value: FieldValue, box: tuple[int, int, int, int]
) -> None:
    empty = {} if field == "short" else {"short": ""}
    before, after = fill({"short": "", **empty}), fill({**empty, field: value})

    difference = ImageChops.difference(picture(before), picture(after)).getbbox()

    assert difference is not None
    left, bottom, right, top = box
    assert left <= difference[0] < difference[2] <= right
    assert 400 - top <= difference[1] < difference[3] <= 400 - bottom


def test_alignment_and_color_are_those_of_the_field() -> None:
    image = area(fill({"amount": "11"}), (12, 202, 188, 218))

    columns = [
        x
        for x in range(image.width)
        for y in range(image.height)
        if (image.getpixel((x, y)) or (255,))[1] < 90  # type: ignore[index]
    ]
    assert min(columns) > image.width * 0.7


def test_a_comb_has_a_cell_for_each_character() -> None:
    filled = fill({"code": "IIIIIIIII"})

    image = area(filled, (10, 260, 190, 280)).convert("L")
    # Each cell has ink in its middle.
    for cell in range(9):
        middle = image.crop((cell * 20 + 8, 5, cell * 20 + 12, 15))
        assert min(middle.tobytes()) < 120


def test_several_choices_are_highlighted() -> None:
    image = area(fill({"days": ["Mon", "Wed"]}), (200, 250, 290, 320))

    rows = [image.getpixel((60, y)) for y in (8, 22, 35, 49)]
    blue = (153, 193, 218)
    assert [row == blue for row in rows] == [True, False, True, False]
    document = opened(fill({"days": ["Wed", "Mon"]}))
    field = next(each for each in document.Root.AcroForm.Fields if each.T == "days")
    assert [int(index) for index in field.I] == [0, 2]


def test_long_lines_are_broken_and_stay_inside() -> None:
    text = "word " * 80 + "W" * 300
    filled = fill({"notes": text})

    image = picture(filled)
    around = image.crop((0, 50, 300, 110)).convert("L")
    assert ink(around.crop((192, 0, 199, 60))) == 0
    left, top, right, bottom = ink_box(around.crop((12, 2, 188, 58)), threshold=220)
    assert right - left > 160
    assert bottom - top > 40


def test_a_radio_group_has_one_button_on() -> None:
    filled = fill({"color": "c"}, fill({"color": "a"}))

    document = opened(filled)
    group = next(each for each in document.Root.AcroForm.Fields if each.T == "color")
    assert [str(kid.AS) for kid in group.Kids] == ["/Off", "/Off", "/c"]
    assert Name.c == group.V


def test_buttons_are_switched_off() -> None:
    on = fill({"agree": True, "color": "a", "bare": "1"})

    off = fill({"agree": False, "color": "Off", "bare": ""}, on)

    values = field_values(off)
    assert [values[name] for name in ("agree", "color", "bare")] == ["/Off"] * 3


def test_choices_are_cleared() -> None:
    chosen = fill({"country": "de", "days": ["Mon", "Tue"]})

    values = field_values(fill({"country": "", "days": []}, chosen))

    assert (values["country"], values["days"]) == (None, None)


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("missing", "x", "unknown"),
        ("address", "x", "unknown"),
        ("name", True, "wrong_type"),
        ("name", ["a"], "wrong_type"),
        ("short", "abcdef", "wrong_length"),
        ("country", "es", "not_allowed"),
        ("country", True, "wrong_type"),
        ("country", ["de", "fr"], "wrong_length"),
        ("days", ["Mon", "Sun"], "not_allowed"),
        ("agree", "No", "not_allowed"),
        ("agree", ["Yes"], "wrong_type"),
        ("color", True, "wrong_type"),
        ("color", "d", "not_allowed"),
        ("push", "x", "not_allowed"),
        ("signature", "x", "not_allowed"),
    ],
)
def test_what_does_not_fit_is_refused(name: str, value: Any, code: str) -> None:
    assert refusal({name: value})[:2] == (f"/fields/{name}", code)


def test_a_pointer_is_escaped() -> None:
    assert refusal({"address.home/~.city": True})[0] == "/fields/address.home~1~0.city"


def test_a_document_without_a_form_has_no_fields() -> None:
    assert refusal({"x": "y"}, blank())[1] == "unknown"


def test_a_refusal_names_what_is_offered() -> None:
    assert "'a', 'b', 'c'" in refusal({"color": "d"})[2]
    assert "'de', 'fr'" in refusal({"country": "x"})[2]


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

    assert "stored" in shown(fill({"a": "x"}, form.document))


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


def test_same_request_gives_same_bytes() -> None:
    source = saved(sample_form())

    assert len({fill(EVERYTHING, source) for _ in range(3)}) == 1


def test_other_readers_open_the_filled_document() -> None:
    reader = pypdf.PdfReader(io.BytesIO(fill(EVERYTHING)), strict=True)

    assert len(reader.pages) == 1
