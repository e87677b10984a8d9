"""Annotations without an appearance: all of them are drawn, or it is told."""

import io
import time
from typing import Any

import pikepdf
import pypdf
import pytest
from pikepdf import Array, Dictionary, Name, String
from PIL import Image
from pypdf.annotations import FreeText

from chalicelib.contract.options.pdf_tools import (
    FlattenOptions,
    PdfaOptions,
    ToImagesOptions,
    ToolOptions,
)
from tests.builders.pdfs.content import blank, ink_box, opened, picture, saved, texts, tool_run
from tests.builders.pdfs.forms import font_files

RECT = Array([50, 300, 250, 350])
# Pixels from the upper left of a page of 300 by 400 points.
PLACE = (50, 50, 250, 100)


def annotated(*annotations: dict[str, Any]) -> pikepdf.Pdf:
    document = blank((300, 400))
    document.pages[0].obj.Annots = Array(
        [
            document.make_indirect(Dictionary(Type=Name.Annot, **({"Rect": RECT} | each)))
            for each in annotations
        ]
    )
    return document


def free_text(**entries: Any) -> dict[str, Any]:
    return {"Subtype": Name.FreeText, "Contents": String("Genehmigt bis 31.03."), **entries}


def run(options: ToolOptions, source: bytes | pikepdf.Pdf) -> tuple[bytes, list[str]]:
    output, tool_input = tool_run(options, source, fonts=font_files())
    return output.files[0].content, [each.message for each in tool_input.warnings]


def flattened(source: bytes | pikepdf.Pdf) -> bytes:
    content, warnings = run(FlattenOptions(), source)
    assert warnings == []
    with opened(content) as document:
        assert "/Annots" not in document.pages[0].obj
    return content


def is_within(box: tuple[int, int, int, int]) -> bool:
    return box[0] >= 49 and box[1] >= 49 and box[2] <= 251 and box[3] <= 101


@pytest.mark.parametrize(
    "entries",
    [
        {},
        {"DA": String("/Helv 12 Tf 0 0 1 rg"), "C": Array([1, 1, 0.5])},
        {"DA": String("1 0 0 rg"), "DS": String("font: bold 14pt Times; text-align:right")},
        {"BS": Dictionary(W=0), "Q": 1},
        {"RD": Array([10, 10, 10, 10])},
        {"RD": Array([900, 900, 900, 900])},
        {"Border": Array([0, 0, 2, Array([3, 2])])},
    ],
)
def test_free_text_is_on_the_page(entries: dict[str, Any]) -> None:
    flat = flattened(annotated(free_text(**entries)))

    assert "Genehmigt bis 31.03." in " ".join(texts(flat)[0].split())
    assert is_within(ink_box(picture(flat)))


def test_free_text_of_a_library_is_on_the_page() -> None:
    writer = pypdf.PdfWriter()
    writer.add_blank_page(300, 400)
    writer.add_annotation(0, FreeText(text="Genehmigt", rect=(50, 300, 250, 350), font_size="20pt"))
    target = io.BytesIO()
    writer.write(target)

    assert "Genehmigt" in texts(flattened(target.getvalue()))[0]


def test_formatted_text_and_other_scripts_are_shown() -> None:
    rich = String("<body><p>rich &amp; <b>bold</b></p><p>second</p></body>")
    other = String("漢字 မ ĞŞ")

    flat = flattened(annotated(free_text(Contents=String(""), RC=rich), free_text(Contents=other)))

    shown = " ".join(texts(flat)[0].split())
    assert "rich & bold second" in shown
    assert "漢字" in shown


def test_a_callout_line_is_drawn() -> None:
    line = {"IT": Name.FreeTextCallout, "CL": Array([52, 302, 80, 310, 150, 340])}
    text = free_text(Contents=String(""), RD=Array([100, 20, 0, 0]), BS=Dictionary(W=1))

    left, _, _, bottom = ink_box(picture(flattened(annotated(text | line))))

    assert left <= 54
    assert bottom >= 96


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (None, "DRAFT"),
        ("Approved", "APPROVED"),
        ("AsIs", "AS IS"),
        ("NotForPublicRelease", "NOT FOR PUBLIC RELEASE"),
        ("SBConfidential", "CONFIDENTIAL"),
        ("#Final", "FINAL"),
        ("#", "DRAFT"),
        ("Geprüft am 3. Mai", "GEPRÜFT AM 3. MAI"),
    ],
)
def test_stamps_show_their_name(name: str | None, words: str) -> None:
    stamp: dict[str, Any] = {"Subtype": Name.Stamp}
    if name is not None:
        stamp["Name"] = Name("/" + name)

    flat = flattened(annotated(stamp))

    assert texts(flat)[0].split() == words.split()
    assert is_within(ink_box(picture(flat)))


SHAPES: list[dict[str, Any]] = [
    {"Subtype": Name.Square},
    {"Subtype": Name.Circle},
    {"Subtype": Name.Caret},
    {"Subtype": Name.Text},
    {"Subtype": Name.FileAttachment},
    {"Subtype": Name.Highlight},
    {"Subtype": Name.Underline},
    {"Subtype": Name.Line, "L": Array([60, 310, 240, 340])},
    {"Subtype": Name.Polygon, "Vertices": Array([60, 310, 240, 340, 60, 340])},
    {"Subtype": Name.PolyLine, "Vertices": Array([60, 310, 240, 340, 60, 340])},
    {"Subtype": Name.Ink, "InkList": Array([Array([60, 310, 240, 340])])},
    {"Subtype": Name.Stamp},
    free_text(),
]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: str(shape["Subtype"]))
def test_every_kind_is_drawn_by_each_tool(shape: dict[str, Any]) -> None:
    assert is_within(ink_box(picture(flattened(annotated(shape)))))

    image, warnings = run(ToImagesOptions(dpi=72), annotated(shape))

    assert warnings == []
    with Image.open(io.BytesIO(image)) as opened_image:
        assert ink_box(opened_image.convert("RGB"))
    archive, _ = run(PdfaOptions(level="2b"), annotated(shape))
    with opened(archive) as document:
        kept = document.pages[0].get("/Annots", Array())
        assert all(each.AP.N.read_bytes() for each in kept)


@pytest.mark.parametrize("options", [FlattenOptions(), ToImagesOptions(dpi=72)])
def test_what_cannot_be_drawn_is_told(options: ToolOptions) -> None:
    kinds = [
        {"Subtype": Name(f"/{kind}")} for kind in ("Sound", "Screen", "Sound", "Popup", "Link")
    ]

    _, warnings = run(options, annotated(*kinds))

    assert warnings == ["Annotations without an appearance were not drawn: Screen, Sound."]


@pytest.mark.parametrize("flags", [2, 32])
def test_hidden_annotations_stay_hidden(flags: int) -> None:
    source = annotated(free_text(F=flags), {"Subtype": Name.Stamp, "F": flags})

    assert texts(flattened(source)) == [""]
    image, _ = run(ToImagesOptions(dpi=72), saved(source))
    with Image.open(io.BytesIO(image)) as opened_image:
        assert opened_image.convert("L").getextrema() == (255, 255)


@pytest.mark.parametrize(
    "entries",
    [
        {"Contents": String("x " * 50_000)},
        {"Contents": String("\n" * 50_000)},
        {"Contents": String(""), "RC": String("<" * 50_000)},
        {"Contents": String(""), "RC": String("<a" * 50_000)},
        {"DS": String("1." * 50_000)},
        {"DA": String("/A 1 " * 20_000)},
        {"Rect": Array([50, 300, 50, 300])},
        {"DA": 7, "DS": 7, "C": 7, "RD": Array([1])},
    ],
)
def test_hostile_texts_take_no_time(entries: dict[str, Any]) -> None:
    begin = time.process_time()

    run(FlattenOptions(), annotated(free_text(**entries)))

    assert time.process_time() - begin < 10
