"""The tools `watermark` and `stamp`: where a mark lies, and what stays as it was."""

import io
from decimal import Decimal
from typing import Any

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name

from chalicelib.contract.options.pdf_tools import StampOptions, WatermarkOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.pdf.drawings.mark_drawings import UNREADABLE_TITLE
from chalicelib.engine.pdf_tools.tool import MARK
from tests.builders.pdfs.content import (
    blank,
    colored,
    ink_box,
    opened,
    picture,
    run_tool,
    saved,
    texts,
    tool_run,
)

# A printed mark that is red on the left and blue on the right: it shows when it is turned.
TWO_COLORS = saved(blank((60, 20), content=b"1 0 0 rg 0 0 30 20 re f 0 0 1 rg 30 0 30 20 re f"))
RED, BLUE = (255, 0, 0), (0, 0, 255)


def stamp(pages: str | None = None, **fields: Any) -> StampOptions:
    fields = {"text": "x", "font_size": "36pt", "position": "top-left", **fields}
    given = {name: value for name, value in fields.items() if value is not None}
    return StampOptions.from_json({"stamp": given, "pages": pages})


def stamp_page(**fields: Any) -> StampOptions:
    return stamp(**{"content": "QQ==", "text": None, "font_size": None, **fields})


@pytest.mark.parametrize("turn", [0, 90, 180, 270, -90, 450])
@pytest.mark.parametrize("position", ["top-left", "bottom-right", "right"])
def test_a_mark_stands_upright_at_the_readers_corner(turn: int, position: str) -> None:
    document = blank((200, 300))
    document.pages[0].MediaBox = Array([-50, 40, 150, 340])
    document.pages[0].CropBox = Array([-30, 60, 140, 320])
    document.pages[0].Rotate = turn

    marked = run_tool(stamp(position=position), document, resources={MARK: TWO_COLORS})

    image = picture(marked)
    left, top, right, bottom = ink_box(image)
    assert image.getpixel((left + 5, top + 10)) == RED
    assert image.getpixel((right - 5, bottom - 10)) == BLUE
    assert (right - left, bottom - top) == (60, 20)
    if "left" in position:
        assert (left, top) == (28, 28)
    elif "bottom" in position:
        assert (image.width - right, image.height - bottom) == (28, 28)
    else:
        assert image.width - right == 28
        assert abs((top + bottom) / 2 - image.height / 2) <= 1


def test_only_the_chosen_pages_are_marked() -> None:
    document = blank(*[(200.0, 300.0)] * 4)

    marked = opened(run_tool(stamp(pages="2,4"), document, resources={MARK: TWO_COLORS}))

    assert ["/XObject" in page.Resources for page in marked.pages] == [False, True, False, True]


def test_pages_that_do_not_exist_are_refused() -> None:
    with pytest.raises(RenderFailure) as refused:
        run_tool(stamp(pages="2"), blank(), resources={MARK: TWO_COLORS})

    assert refused.value.errors[0].path == "/pages"


def test_what_content_leaves_open_does_not_move_the_mark() -> None:
    for content in (b"q 2 0 0 2 0 0 cm q", b"Q Q .5 0 0 .5 0 0 cm", b"q Q Q 3 0 0 3 9 9 cm q"):
        marked = run_tool(stamp(), blank(content=content), resources={MARK: TWO_COLORS})

        assert ink_box(picture(marked)) == (28, 28, 88, 48)


def test_a_second_mark_does_not_replace_the_first() -> None:
    green = colored((60, 20), "0 1 0")

    once = run_tool(stamp(), blank(), resources={MARK: TWO_COLORS})
    twice = run_tool(stamp(position="bottom-left"), once, resources={MARK: green})

    image = picture(twice)
    assert image.getpixel((33, 38)) == RED
    assert image.getpixel((33, 300 - 38)) == (0, 255, 0)


def test_shared_resources_have_one_mark() -> None:
    document = blank(*[(200.0, 300.0)] * 3)
    shared = document.make_indirect(Dictionary())
    for page in document.pages:
        page.Resources = shared

    marked = opened(run_tool(stamp(), document, resources={MARK: TWO_COLORS}))

    assert list(marked.pages[2].Resources.XObject) == ["/PlatenMark"]
    assert len(texts(saved(marked))) == 3


def test_a_mark_under_the_page_is_covered_by_its_content() -> None:
    document = blank(content=b"0 1 0 rg 0 150 200 150 re f")
    options = WatermarkOptions.from_json(
        {"watermark": {"text": "x", "layer": "under", "opacity": 1, "angle": 0}}
    )

    image = picture(run_tool(options, document, resources={MARK: TWO_COLORS}))

    # The lower half is bare.
    assert image.getpixel((60, 140)) == (0, 255, 0)
    assert image.getpixel((60, 160)) == RED


def test_a_watermark_is_transparent_and_an_artifact() -> None:
    options = WatermarkOptions.from_json({"watermark": {"text": "x"}})

    marked = run_tool(options, blank(), resources={MARK: TWO_COLORS})

    document = opened(marked)
    page = document.pages[0]
    assert page.Resources.ExtGState.PlatenMarkState.ca == Decimal("0.15")
    tags = [
        str(each.operands[0])
        for each in pikepdf.parse_content_stream(page)
        if str(each.operator) == "BDC"
    ]
    assert tags == ["/Artifact"]


@pytest.mark.parametrize(
    ("options", "pointer"),
    [
        (
            WatermarkOptions.from_json({"watermark": {"image": {"content": "QQ=="}}}),
            "/watermark/image",
        ),
        (stamp(text=None, font_size=None, image={"content": "QQ=="}), "/stamp/image"),
    ],
)
def test_a_picture_that_cannot_be_shown_is_refused(
    options: StampOptions | WatermarkOptions, pointer: str
) -> None:
    mark = opened(TWO_COLORS)
    mark.docinfo["/Title"] = UNREADABLE_TITLE

    with pytest.raises(RenderFailure, match=pointer) as refused:
        run_tool(options, blank(), resources={MARK: saved(mark)})

    assert refused.value.code == "asset_fetch_failed"


def test_a_font_size_of_a_picture_is_ignored_with_a_warning() -> None:
    options = stamp(text=None, image={"content": "QQ=="}, font_size="12pt")

    _, tool_input = tool_run(options, blank(), resources={MARK: TWO_COLORS})

    assert [each.detail for each in tool_input.warnings] == ["stamp.font_size"]


@pytest.mark.parametrize(
    ("size", "position", "box"),
    [
        ((60, 20), "top-left", (28, 28, 88, 48)),
        ((60, 20), "center", (70, 140, 130, 160)),
        ((200, 300), "top-left", (0, 0, 200, 300)),
        ((400, 400), "center", (0, 50, 200, 250)),
        ((2000, 10), "bottom", (0, 271, 200, 272)),
    ],
)
def test_a_page_as_stamp_has_its_own_size_or_fits(
    size: tuple[int, int], position: str, box: tuple[int, int, int, int]
) -> None:
    options = stamp_page(position=position)

    stamped = run_tool(options, blank((200, 300)), resources={"/stamp": colored(size)})

    assert ink_box(picture(stamped)) == box


def test_a_turned_page_as_stamp_is_shown_as_its_reader_sees_it() -> None:
    page = opened(TWO_COLORS)
    page.pages[0].Rotate = 90

    image = picture(run_tool(stamp_page(), blank(), resources={"/stamp": saved(page)}))

    assert ink_box(image) == (28, 28, 48, 88)
    assert image.getpixel((38, 33)) == RED
    assert image.getpixel((38, 83)) == BLUE


def test_a_page_as_stamp_leaves_its_tags_but_not_its_layers() -> None:
    content = b"/P <</MCID 0>> BDC /OC /L BDC 0 0 9 9 re f EMC EMC /Span BMC 1 w EMC EMC"
    page = saved(blank((60, 20), content=content))

    stamped = opened(run_tool(stamp_page(), blank(), resources={"/stamp": page}))

    form = stamped.pages[0].Resources.XObject.PlatenMark
    operators = [str(each.operator) for each in pikepdf.parse_content_stream(form)]
    assert operators == ["BDC", "re", "f", "EMC", "w"]


def test_a_stamp_that_is_no_open_pdf_is_refused_at_its_place() -> None:
    locked = saved(blank(), encryption=pikepdf.Encryption(owner="o", user="u"))
    for content, code in (
        (b"no PDF", "invalid_pdf_source"),
        (TWO_COLORS[:60], "invalid_pdf_source"),
        (locked, "pdf_password_required"),
    ):
        with pytest.raises(RenderFailure, match="/stamp") as refused:
            run_tool(stamp_page(), blank(), resources={"/stamp": content})

        assert refused.value.code == code


def test_odd_boxes_of_pages_are_read_as_readers_do() -> None:
    for media, crop in (
        ([200, 300, 0, 0], None),
        ([0, 0, 200, 300], [-100, -100, 900, 900]),
        ([0, 0, 200, 300], [5, 5, 5, 5]),
        ([0, 0, 200, 300], [900, 900, 950, 950]),
    ):
        document = blank((200, 300))
        document.pages[0].MediaBox = Array(media)
        if crop:
            document.pages[0].CropBox = Array(crop)

        marked = opened(run_tool(stamp(), document, resources={MARK: TWO_COLORS}, test=True))

        drawing = marked.pages[0].Contents[-3].read_bytes()
        assert b"1.00000 0.00000 -0.00000 1.00000 28.00000 252.00000 cm" in drawing


def test_a_page_without_boxes_or_resources_is_marked() -> None:
    document = blank()
    del document.pages[0].obj.Resources
    del document.pages[0].obj.MediaBox
    del document.pages[0].obj.Contents

    marked = opened(run_tool(stamp(), document, resources={MARK: TWO_COLORS}, test=True))

    assert marked.pages[0].Resources.XObject.PlatenMark.BBox == [0, 0, 60, 20]


def test_same_request_gives_same_bytes() -> None:
    source = saved(blank())

    first, second = (run_tool(stamp(), source, resources={MARK: TWO_COLORS}) for _ in range(2))

    assert first == second


def test_test_mark_stands_upright_on_a_turned_page() -> None:
    upright, turned = blank((300, 200)), blank((200, 300))
    turned.pages[0].Rotate = 90

    images = [
        picture(run_tool(stamp(), each, resources={MARK: TWO_COLORS}, test=True))
        for each in (upright, turned)
    ]

    differing = sum(
        abs(a - b) > 60  # edges are smoothed differently
        for a, b in zip(*(image.convert("L").tobytes() for image in images), strict=True)
    )
    assert differing < 20


def test_structure_of_the_document_stays() -> None:
    document = blank(content=b"/P <</MCID 0>> BDC 1 w EMC")
    document.Root.MarkInfo = Dictionary(Marked=True)
    element = document.make_indirect(
        Dictionary(Type=Name.StructElem, S=Name.P, Pg=document.pages[0].obj, K=0)
    )
    document.Root.StructTreeRoot = document.make_indirect(
        Dictionary(Type=Name.StructTreeRoot, K=element)
    )

    with pikepdf.open(
        io.BytesIO(run_tool(stamp(), document, resources={MARK: TWO_COLORS}))
    ) as marked:
        assert bool(marked.Root.MarkInfo.Marked)
        assert marked.Root.StructTreeRoot.K.K == 0
        assert marked.Root.StructTreeRoot.K.Pg.objgen == marked.pages[0].obj.objgen
