"""Byte-level changes of a PDF printed by Chromium."""

import datetime as dt
import time

from chalicelib.engine.pdf.text.chromium_pdf import (
    StructureIndex,
    make_deterministic,
    page_count,
    structure_index,
)
from chalicelib.engine.pdf.text.cross_reference_table import cross_reference_table
from tests.builders.pages.pdfs import A4, pdf_of

MOMENT = dt.datetime(2026, 3, 4, 5, 6, 7, tzinfo=dt.timezone(dt.timedelta(hours=2)))
ORIGIN = b"https://0123456789abcdef01234567.document.invalid"


def test_dates_are_rewritten_in_utc_without_moving_bytes() -> None:
    printed = b"<</CreationDate (D:20261121205601+00'00')\n/ModDate (D:20261121205601-03'30')>>"

    content = make_deterministic(printed, MOMENT)

    expected = b"<</CreationDate (D:20260304030607+00'00')\n/ModDate (D:20260304030607+00'00')>>"
    assert content == expected


def test_only_the_first_dates_belong_to_the_document() -> None:
    date = b"/CreationDate (D:20261121205601+00'00') "

    assert make_deterministic(date * 3, MOMENT).endswith(date)


def test_links_to_the_page_become_relative_without_moving_bytes() -> None:
    printed = (
        b"/URI (" + ORIGIN + rb"/a?b=\(c\)#d)>> /Title (at " + ORIGIN + b"/) /URI (http://b.org/)"
    )

    content = make_deterministic(printed, MOMENT)

    gap = b" " * len(ORIGIN)
    assert content == (
        rb"/URI (/a?b=\(c\)#d)" + gap + b">> /Title (at /)" + gap + b" /URI (http://b.org/)"
    )


def test_page_origin_in_a_query_of_another_url_is_removed() -> None:
    ours = b"https%3A%2F%2F0123456789abcdef01234567.document.invalid"
    printed = b"/URI (https://b.org/?u=" + ours + b"%2Fa&v=1)>>"

    content = make_deterministic(printed, MOMENT)

    assert content == b"/URI (https://b.org/?u=%2Fa&v=1)" + b" " * len(ours) + b">>"


def test_every_origin_in_one_string_is_removed() -> None:
    bare = ORIGIN.removeprefix(b"https://")
    printed = b"(" + ORIGIN + b"/x?u=" + ORIGIN + rb"/\(y\)&v=a" + bare + b") (" + ORIGIN + b")"

    content = make_deterministic(printed, MOMENT)

    gap = b" " * len(ORIGIN + ORIGIN + bare)
    assert content == rb"(/x?u=/\(y\)&v=a)" + gap + b" ()" + b" " * len(ORIGIN)


def test_origins_outside_strings_stay_and_each_is_scanned_once() -> None:
    name = b"a" * 24 + b".document.invalid"
    open_ended, string = name * 5_000 + b"\x00", b"(" + ORIGIN + b"/a)"

    begun = time.process_time()
    content = make_deterministic(open_ended + string, MOMENT)

    # A quadratic scan takes a minute here.
    assert time.process_time() - begun < 5
    assert content == open_ended + b"(/a)" + b" " * len(ORIGIN)


def test_structure_ids_are_renumbered_from_one_in_order() -> None:
    printed = (
        b"/ID (node00000031)>> /A [<</Headers [(node00000031) (node00000007)]>>] "
        b"/ID (node00000007)>> /Limits [(node00000007) (node00000031)] "
        b"/Names [(node00000007) 5 0 R (node00000031) 9 0 R]"
    )

    content = make_deterministic(printed, MOMENT)

    assert content == printed.replace(b"0007", b"0001").replace(b"0031", b"0002")


def test_text_resembling_an_id_is_kept() -> None:
    printed = b"/ID (node00000031) /Alt (node00000031) /T (\\(node00000031\\)) /Lang (node00000031)"

    content = make_deterministic(printed, MOMENT)

    assert content == printed.replace(b"/ID (node00000031)", b"/ID (node00000001)")


def test_pages_are_counted_from_the_catalog() -> None:
    deceiving = "1 0 obj << /Root 7 0 R /Pages 9 0 R /Count 77 >> startxref\n0\n%%EOF"

    for content, pages in ((pdf_of(A4), 1), (pdf_of(*[A4] * 300, title=deceiving), 300)):
        assert page_count(content, cross_reference_table(content)) == pages


def test_elements_are_indexed_by_structure_type() -> None:
    content = (
        b"%PDF-1.4\n7 0 obj\n<</Type /StructElem\n/S /Lbl\n/P 12 0 R\n/K 1>>\nendobj\n"
        b"12 0 obj\n<</Type /StructElem\n/S /LI\n/P 14 0 R\n/K [7 0 R 8 0 R]>>\nendobj\n"
        b"9 0 obj\n<</Type /StructElem\n/S /Figure\n/P 4 0 R\n/K 3>>\nendobj\n"
        b"15 0 obj\n<</Type /StructElem\n/S /Link\n/P 4 0 R\n/K [<</Type /OBJR\n/Obj 5 0 R>> "
        b"<</Type /OBJR\n/Obj 6 0 R>>]>>\nendobj\n"
        b"16 0 obj\n<</Type /StructElem\n/S /Em\n/K <</Type /OBJR\n/Obj 7 0 R>>>>\nendobj\n"
    )

    assert structure_index(content) == StructureIndex(
        types=frozenset(["/Lbl", "/LI", "/Figure", "/Link", "/Em"]),
        list_items=(12,),
        figures=(9,),
        annotation_parents=(15, 16),
    )


def test_text_resembling_elements_outside_objects_is_ignored() -> None:
    content = b"/Type /OBJR\n <</Type /StructElem\n/S /LI\nx 0 obj\n/Type /OBJR\n"

    assert structure_index(content).list_items == structure_index(content).annotation_parents == ()
