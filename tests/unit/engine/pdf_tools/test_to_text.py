"""Text of pages."""

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, Stream, String

from chalicelib.contract.options.pdf_tools import ToTextOptions
from tests.builders.pdfs.tool_call import call_tool
from tests.builders.pdfs.unarchived import base_font, composite_font, document, saved


def text_of(content: bytes) -> str:
    file = call_tool(ToTextOptions(), content).file
    assert (file.format, file.content_type) == ("txt", "text/plain; charset=utf-8")
    return file.content.decode()


def shown(*lines: bytes, mode: bytes = b"") -> bytes:
    shown = b" 0 -20 Td ".join(b"(%s) Tj" % line for line in lines)
    return document(content=b"BT %s /F 12 Tf 30 700 Td %s ET" % (mode, shown))


def test_pages_are_divided_by_form_feeds() -> None:
    with pikepdf.new() as pdf:
        for number in range(3):
            pdf.add_blank_page(page_size=(300, 300))
            page = pdf.pages[-1].obj
            page.Resources = Dictionary(Font=Dictionary(F=base_font()))
            if number != 1:
                page.Contents = Stream(pdf, b"BT /F 12 Tf 30 200 Td (Page %d) Tj ET" % number)
        content = saved(pdf)

    file = call_tool(ToTextOptions(), content).file

    assert (file.content, file.pages) == (b"Page 0\f\fPage 2", 3)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (shown(b"one", b"two"), "one\ntwo"),
        (shown(b"Donau-", b"dampf"), "Donau-\ndampf"),
        (shown(b"caf\351 \200 \223x\224"), "café € “x”"),
        (shown(b"hidden", mode=b"3 Tr"), "hidden"),
        (document(composite_font), "Quick 漢字"),
        (document(content=b""), ""),
    ],
    ids=["lines", "hyphen", "encoding", "invisible layer", "composite font", "no text"],
)
def test_text_is_read(content: bytes, text: str) -> None:
    assert text_of(content) == text


def test_columns_come_one_after_the_other() -> None:
    left = b" 0 -20 Td ".join(b"(left %d) Tj" % line for line in range(9))
    right = left.replace(b"left", b"right")
    content = b"BT /F 12 Tf 30 700 Td %s ET BT /F 12 Tf 300 700 Td %s ET" % (left, right)

    lines = text_of(document(content=content)).split("\n")

    assert lines == [f"{side} {line}" for side in ("left", "right") for line in range(9)]


def test_rotated_line_beside_little_text_stays_whole() -> None:
    # Letter by letter, as browsers write it.
    widths = {"R": 8.67, "o": 6.67, "t": 3.33, "a": 6.67, "e": 6.67, "d": 6.67}
    letters = " ".join(f"({letter}) Tj {widths[letter]} 0 Td" for letter in "Rotated")
    content = f"BT /F 12 Tf 30 700 Td (flat) Tj ET BT /F 12 Tf 0 1 -1 0 100 300 Tm {letters} ET"

    assert text_of(document(content=content.encode())) == "flat\nRotated"


def test_no_character_is_a_control_or_half_of_one() -> None:
    mapping = b"3 beginbfchar\n<61> <0000>\n<62> <D83D>\n<63> <000C>\nendbfchar"

    def change(pdf: pikepdf.Pdf) -> None:
        pdf.pages[0].obj.Resources.Font.F.ToUnicode = Stream(pdf, mapping)

    text = text_of(document(change, content=b"BT /F 12 Tf 30 700 Td (xaybzc.) Tj ET"))

    assert not set(text) & {"\0", "\f", "\ud83d"}
    assert text.replace(" ", "").startswith("x")


def test_font_without_a_mapping_gives_what_its_names_say() -> None:
    names = Dictionary(Differences=Array([97, Name.Euro, Name.f_i]))

    def change(pdf: pikepdf.Pdf) -> None:
        pdf.pages[0].obj.Resources.Font.F = base_font(encoding=names)

    assert text_of(document(change, content=b"BT /F 12 Tf 30 700 Td (a) Tj ET")) == "€"


def test_text_of_annotations_stays_out() -> None:
    def change(pdf: pikepdf.Pdf) -> None:
        note = Dictionary(Subtype=Name.Text, Contents=String("note"), Rect=Array([0, 0, 9, 9]))
        pdf.pages[0].obj.Annots = Array([note])

    assert "note" not in text_of(document(change))
