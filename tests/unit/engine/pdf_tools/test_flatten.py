"""The tool `flatten`: the same picture, without fields and annotations."""

from typing import Any

import pytest
from pikepdf import Array, Dictionary, Name, String
from PIL import ImageChops

from chalicelib.contract.options.pdf_tools import FillFormOptions
from tests.builders.pdfs.content import blank, opened, picture, run_tool, saved, texts
from tests.builders.pdfs.forms import (
    MULTILINE,
    FormBuilder,
    annotated_page,
    flatten,
    font_files,
    sample_form,
)

# Edges of glyphs and lines are smoothed a little differently in a page and in an annotation.
SMOOTHING = 64


def differs(before: bytes, after: bytes) -> tuple[int, int, int, int] | None:
    """Return the box of clear differences between two first pages."""
    images = [picture(each, scale=2) for each in (before, after)]
    difference = ImageChops.difference(*images).convert("L")
    return difference.point(lambda level: 255 if level > SMOOTHING else 0).getbbox()


def is_empty(content: bytes) -> bool:
    extrema = picture(content).convert("L").getextrema()
    return extrema == (255, 255)


@pytest.fixture(scope="module")
def filled() -> bytes:
    values: dict[str, Any] = {
        "name": "Zoë Łódź",
        "notes": "one\ntwo three",
        "code": "12",
        "secret": "xx",
        "amount": "5 €",
        "country": "fr",
        "days": ["Tue"],
        "agree": True,
        "color": "b",
    }
    options = FillFormOptions.from_json({"fields": values})
    return run_tool(options, sample_form(), fonts=font_files())


def test_a_form_looks_the_same(filled: bytes) -> None:
    assert differs(filled, flatten(filled)) is None


def test_nothing_is_left_to_fill_in(filled: bytes) -> None:
    document = opened(flatten(filled))

    assert "/AcroForm" not in document.Root
    assert "/Annots" not in document.pages[0]
    assert "Zoë Łódź" in texts(flatten(filled))[0]


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
@pytest.mark.parametrize("flags", [4, 4 | 16])
def test_an_appearance_lies_where_it_lay(turn: int, flags: int) -> None:
    form = annotated_page(F=flags)
    form.document.pages[0].Rotate = turn
    form.document.pages[0].MediaBox = Array([-20, -30, 280, 370])
    source = saved(form.document)

    assert differs(source, flatten(source)) is None


@pytest.mark.parametrize(
    ("box", "matrix"),
    [
        ([0, 0, 20, 10], [0, 1, -1, 0, 0, 0]),
        ([4, 0, 20, 10], [2, 0, 0, 2, 7, 9]),
        ([20, 10, 0, 0], [0.7, 0.7, -0.7, 0.7, 0, 0]),
        ([0, 0, 10, 10], [-1, 0, 0, 1, 0, 0]),
    ],
)
def test_matrix_and_box_of_an_appearance_hold(box: list[int], matrix: list[float]) -> None:
    form = annotated_page()
    look = form.page.Annots[0].AP.N
    look.BBox, look.Matrix = Array(box), Array(matrix)
    source = saved(form.document)

    assert differs(source, flatten(source)) is None


def test_content_that_leaves_its_state_open_moves_nothing() -> None:
    form = annotated_page()
    form.page.Contents = form.document.make_stream(b"q 2 0 0 2 9 9 cm 0 1 0 rg")
    source = saved(form.document)

    assert differs(source, flatten(source)) is None


@pytest.mark.parametrize("flags", [2, 32, 6])
def test_what_is_hidden_is_not_drawn(flags: int) -> None:
    flat = flatten(annotated_page(F=flags).document)

    assert is_empty(flat)
    assert b"PlatenDrawn" not in flat


def test_a_popup_goes() -> None:
    assert is_empty(flatten(annotated_page(Subtype=Name.Popup).document))


def test_links_stay() -> None:
    form = annotated_page()
    link = Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=Array([0, 0, 9, 9]))
    link.A = Dictionary(S=Name.URI, URI=String("https://example.org"))
    form.page.Annots.append(form.document.make_indirect(link))

    document = opened(flatten(form.document))

    assert [str(each.Subtype) for each in document.pages[0].Annots] == ["/Link"]


def test_a_layer_that_is_off_hides_what_it_hid() -> None:
    for state in ("/OFF", "/ON"):
        form = annotated_page()
        layer = form.document.make_indirect(Dictionary(Type=Name.OCG, Name=String("x")))
        form.page.Annots[0].OC = layer
        form.document.Root.OCProperties = Dictionary(
            OCGs=Array([layer]), D=Dictionary({"/BaseState": Name.ON, state: Array([layer])})
        )

        assert is_empty(flatten(form.document)) == (state == "/OFF")


@pytest.mark.parametrize(
    ("kind", "entries"),
    [
        ("Square", {"C": Array([1, 0, 0]), "IC": Array([0.5, 1, 0.5]), "BS": Dictionary(W=4)}),
        ("Square", {"C": Array([1, 0, 0]), "BS": Dictionary(W=2, S=Name.D, D=Array([5, 3]))}),
        ("Circle", {"C": Array([0, 0, 1]), "IC": Array([0, 1, 1]), "CA": 0.5}),
        ("Highlight", {"C": Array([1, 1, 0])}),
        ("Underline", {"C": Array([0, 0.5, 0])}),
        ("StrikeOut", {"C": Array([1, 0, 0])}),
        ("Ink", {"C": Array([0, 0, 1]), "InkList": Array([Array([60, 70, 100, 105, 140, 70])])}),
    ],
)
def test_missing_appearances_are_drawn_as_pdfium_draws_them(
    kind: str, entries: dict[str, Any]
) -> None:
    quad = Array([50, 110, 150, 110, 50, 60, 150, 60])
    form = annotated_page(Subtype=Name("/" + kind), QuadPoints=quad, **entries)
    del form.page.Annots[0].AP
    form.page.Contents = form.document.make_stream(b"0.7 g 90 0 20 400 re f")
    source = saved(form.document)

    flat = flatten(source)

    assert not is_empty(flat)
    assert differs(source, flat) is None


@pytest.mark.parametrize(
    ("kind", "entries"),
    [
        ("Line", {"L": Array([60, 70, 140, 100])}),
        ("Polygon", {"Vertices": Array([60, 70, 140, 100, 140, 70]), "IC": Array([1, 0, 0])}),
        ("PolyLine", {"Vertices": Array([60, 70, 140, 100, 140, 70])}),
        ("Squiggly", {"QuadPoints": Array([50, 110, 150, 110, 50, 60, 150, 60])}),
        ("Text", {}),
        ("FileAttachment", {}),
    ],
)
def test_other_missing_appearances_are_drawn_too(kind: str, entries: dict[str, Any]) -> None:
    form = annotated_page(Subtype=Name("/" + kind), **entries)
    del form.page.Annots[0].AP

    box = picture(flatten(form.document)).convert("L").point(lambda level: 255 - level).getbbox()

    assert box is not None
    assert box[0] >= 50 - 2
    assert box[2] <= 150 + 2


def test_missing_appearances_of_fields_are_drawn() -> None:
    form = FormBuilder()
    form.field("a", "Tx", [10, 300, 190, 380], V=String("first\nsecond"), Ff=MULTILINE)
    form.field("b", "Btn", [10, 200, 30, 220], V=Name.Yes, AS=Name.Yes)
    form.field("c", "Btn", [10, 100, 30, 120], V=Name.Off, AS=Name.Off)

    flat = flatten(form.document)

    assert texts(flat)[0].split() == ["first", "second"]
    dark = [
        sum(picture(flat).crop((12, top, 28, top + 16)).convert("L").histogram()[:80])
        for top in (182, 282)
    ]
    assert dark[0] > 20
    assert dark[1] == 0


def test_stale_appearances_are_drawn_anew_where_readers_do() -> None:
    form = FormBuilder()
    old = form.state(b"1 0 0 rg 0 0 80 20 re f", (80, 20))
    form.field("a", "Tx", [10, 10, 90, 30], V=String("new"), AP=Dictionary(N=old))
    form.form.NeedAppearances = True

    assert "new" in texts(flatten(form.document))[0]


def test_a_button_without_a_state_shows_that_of_its_field() -> None:
    form = FormBuilder()
    kids = [form.button([10, 10 + 30 * n, 30, 30 + 30 * n], on) for n, on in enumerate("ab")]
    form.group("x", "Btn", kids, V=Name.b)
    for kid in kids:
        del kid.AS
    image = picture(flatten(form.document)).convert("L")

    assert image.getpixel((20, 400 - 20)) == 255
    assert image.getpixel((20, 400 - 50)) == 0


def test_an_appearance_uses_fonts_of_the_form() -> None:
    form = FormBuilder()
    look = form.state(b"BT /Helv 12 Tf 2 5 Td (drawn) Tj ET", (80, 20))
    form.field("a", "Tx", [10, 10, 90, 30], V=String("drawn"), AP=Dictionary(N=look))

    assert "drawn" in texts(flatten(form.document))[0]


def test_odd_annotations_are_borne() -> None:
    form = annotated_page()
    for odd in (
        Dictionary(),
        Dictionary(Subtype=Name.Square),
        Dictionary(Subtype=Name.Ink, Rect=Array([0, 0, 9, 9]), InkList=Array([Array([1, 2])])),
        Dictionary(Subtype=Name.Line, Rect=Array([0, 0, 0, 0]), L=Array([0, 0, 1, 1])),
        Dictionary(Subtype=Name.Stamp, Rect=Array([0, 0, 9, 9]), AP=Dictionary(N=Dictionary())),
        Dictionary(Subtype=Name.Widget, Rect=Array([0, 0, 9, 9]), AP=String("x"), F=Name.x),
        String("no annotation"),
    ):
        form.page.Annots.append(odd)
    looped = form.document.make_indirect(
        Dictionary(Subtype=Name.Widget, Rect=Array([0, 0, 9, 9]), AP=Dictionary(N=Dictionary()))
    )
    looped.Parent = looped
    form.page.Annots.append(looped)

    document = opened(flatten(form.document))
    assert "/Annots" not in document.pages[0]


def test_annotations_shared_by_pages_are_drawn_on_each() -> None:
    form = annotated_page()
    page = form.document.add_blank_page(page_size=(300, 400))
    page.Annots = form.page.Annots

    flat = flatten(form.document)

    pages = [picture(flat, number) for number in (0, 1)]
    assert [image.getpixel((60, 300)) for image in pages] == [(255, 0, 0)] * 2


def test_a_page_without_annotations_keeps_its_content() -> None:
    source = blank(content=b"q 1 w")

    document = opened(flatten(source))

    assert document.pages[0].Contents.read_bytes() == b"q 1 w"


def test_a_second_flattening_keeps_the_first() -> None:
    first = annotated_page()
    flat = opened(flatten(first.document))
    flat.pages[0].Annots = Array(
        [flat.make_indirect(Dictionary(Subtype=Name.Square, Rect=Array([10, 200, 40, 230])))]
    )

    image = picture(flatten(saved(flat)))

    assert image.getpixel((60, 300)) == (255, 0, 0)
    assert image.getpixel((10, 185)) != (255, 255, 255)


def test_same_request_gives_same_bytes(filled: bytes) -> None:
    assert flatten(filled) == flatten(filled)
