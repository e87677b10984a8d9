"""The tool `fill-form`: values that every reader shows, and values that do not fit."""

import io
from typing import Any

import pikepdf
import pypdf
import pytest
from pikepdf import Name
from PIL import Image, ImageChops

from chalicelib.contract.options.pdf_tools import (
    FieldValue,
    FillFormOptions,
    FlattenOptions,
    ToTextOptions,
)
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.context import RenderWarning
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
    field_values,
    fill,
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


def refusal(fields: dict[str, Any], source: pikepdf.Pdf | None = None) -> tuple[str, str, str]:
    with pytest.raises(RenderFailure) as refused:
        fill(fields, source)
    assert refused.value.code == "validation_error"
    return refused.value.errors[0]


def shown(content: bytes) -> str:
    """Return the text that the fields show, once they are part of the page."""
    (text,) = texts(run_tool(FlattenOptions(), content, fonts=font_files()))
    return text


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
    assert "it has name, " in refusal({"nam": "x"})[2]
    assert refusal({"x": "y"}, blank())[2] == "the document has no fields"


def test_same_request_gives_same_bytes() -> None:
    source = saved(sample_form())

    assert len({fill(EVERYTHING, source) for _ in range(3)}) == 1


def test_other_readers_open_the_filled_document() -> None:
    reader = pypdf.PdfReader(io.BytesIO(fill(EVERYTHING)), strict=True)

    assert len(reader.pages) == 1


def fill_call(fields: dict[str, Any]) -> tuple[bytes, list[RenderWarning]]:
    options = FillFormOptions.from_json({"fields": fields})
    output, tool_input = tool_run(options, sample_form(), fonts=font_files())
    (file,) = output.files
    return file.content, tool_input.warnings


@pytest.mark.parametrize("value", ["a \u1019 \u0b95 b", "\u0c85\u0d05", "\u2764\ufe0f x"])
def test_a_character_that_the_field_font_lacks_gets_a_bundled_font(value: str) -> None:
    filled, warnings = fill_call({"name": value})

    assert warnings == []
    assert value.replace("\ufe0f", "") in shown(filled)


def test_characters_that_no_font_has_are_told() -> None:
    filled, warnings = fill_call({"name": "a \U0001f60a\U000f0000 b"})

    (warning,) = warnings
    assert warning.code == "glyph_missing"
    assert "U+1F60A, U+F0000" in warning.message
    # Two boxes, of which each has its own text.
    assert "a \U0001f60a\U000f0000 b" in shown(filled)


def test_no_missing_character_is_drawn_by_the_glyph_that_archives_forbid() -> None:
    with opened(fill({"name": "\U0001f60a"})) as document:
        (drawn,) = [
            widget.AP.N.read_bytes()
            for widget in document.pages[0].Annots
            if widget.get("/T") == "name"
        ]

    assert b"<0000>" not in drawn
    assert b"<0001>" in drawn


def test_the_text_of_a_document_has_what_its_fields_show() -> None:
    filled = fill({"name": "Zo\u00eb \u65e5\u672c", "country": "fr", "secret": "hush"})

    text = run_tool(ToTextOptions(), filled).decode()

    assert "Zo\u00eb \u65e5\u672c" in text
    assert "France" in text
    assert "hush" not in text


def test_the_text_of_a_document_has_no_notes() -> None:
    document = sample_form()
    look = document.make_stream(
        b"BT /F1 9 Tf (a note) Tj ET",
        Type=Name.XObject,
        Subtype=Name.Form,
        BBox=pikepdf.Array([0, 0, 90, 20]),
        Resources=document.pages[0].Resources,
    )
    note = pikepdf.Dictionary(Type=Name.Annot, Subtype=Name.Stamp, Rect=[0, 0, 90, 20])
    note.AP = pikepdf.Dictionary(N=look)
    document.pages[0].Annots.append(document.make_indirect(note))

    text = run_tool(ToTextOptions(), fill({"name": "Field"}, document)).decode()

    assert "Field" in text
    assert "a note" not in text
