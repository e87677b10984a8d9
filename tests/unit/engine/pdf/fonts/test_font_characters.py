"""Mappings of codes to characters (ToUnicode)."""

import time

import pikepdf
import pytest
from pikepdf import Dictionary, Stream

from chalicelib.engine.pdf.fonts.font_characters import read_to_unicode, repair_to_unicode


def test_glyph_without_a_character_is_a_zero_width_space() -> None:
    mapping = b"2 beginbfchar\n<0001> <0000>\n<0002> <0041>\nendbfchar\n"
    mapping += b"1 beginbfrange\n<0000> <0000> <0042>\nendbfrange"

    repaired = repair_to_unicode(mapping)

    assert repaired == mapping.replace(b"<0001> <0000>", b"<0001> <200B>")


@pytest.mark.parametrize(
    "part",
    [b"beginbfchar ", b"beginbfrange ", b"beginbfchar <a><%b", b"beginbfrange <a> <b> [", b"<a>["],
)
def test_hostile_mapping_to_characters_is_read_in_linear_time(part: bytes) -> None:
    mapping = part.replace(b"%b", b" " * 100_000) + part * (200_000 // len(part))
    mapping = b"beginbfchar beginbfrange " + mapping + b" endbfchar endbfrange"
    with pikepdf.new() as pdf:
        font = Dictionary(ToUnicode=Stream(pdf, mapping))
        began = time.process_time()

        read_to_unicode(font)
        repair_to_unicode(mapping)

        assert time.process_time() - began < 5
