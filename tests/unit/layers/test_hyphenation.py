"""Hyphenation dictionaries: words break in the file where the patterns of TeX break them."""

import struct
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

import pytest

from infra.setup.steps import INSTALL_DIR
from layers.chromium.hyb_file import hyb_file
from layers.chromium.languages import LANGUAGES, Language
from layers.chromium.licenses import license_notice
from layers.chromium.patterns import read_patterns
from layers.running import LayerError

DICTIONARIES: Final = INSTALL_DIR / "chromium" / "hyphen-data"
# Of Liang's thesis, where they break this word: hy-phen-ation.
LIANG: Final = ("hy3ph", "he2n", "hena4", "hen5at", "1na", "n2at", "1tio", "2io")
WORDS: Final = {
    "de-1996": "Do-nau-dampf-schiff-fahrts-ge-sell-schaft STRA-ẞE Stra-ßen-bahn",
    "en-us": "in-ter-na-tion-al-iza-tion as-so-ciate ret-ri-bu-tion",
    "en-gb": "ir-re-spons-ible",
    "fr": "an-ti-cons-ti-tu-tion-nel-le-ment l'ad-mi-nis-tra-tion",
    "hu": "fe-le-lős-ség-biz-to-sí-tás",
    "ru": "от-вет-ствен-ность",
    "sr": "шко-ло-ва-ње od-go-vor-nost",
    "tr": "İs-tan-bul",
    "el": "υπευ-θυ-νό-τη-τα",
    "nb": "men-neske-ret-tig-hets-or-ga-ni-sa-sjon",
    "hi": "अन्त-र्रा-ष्ट्रीय",
}


def patterns_of(*texts: str) -> dict[str, list[int]]:
    """Return patterns as TeX writes them: digits in the gaps of letters."""
    patterns = {}
    for text in texts:
        gaps = [0]
        for character in text:
            if character.isdigit():
                gaps[-1] = int(character)
            else:
                gaps.append(0)
        patterns["".join(filter(lambda each: not each.isdigit(), text))] = gaps
    return patterns


def hyphenated(dictionary: bytes, word: str, minimum: int = 1) -> str:
    """Return the word with hyphens where the dictionary has them, read as minikin reads it."""
    gaps = [0] * (len(word) + 2)
    for end, values in _matches(dictionary, word):
        for gap, value in enumerate(values, start=end - len(values)):
            gaps[gap] = max(gaps[gap], value)
    breaks = [gap for gap in range(minimum, len(word) - minimum + 1) if gaps[gap] % 2]
    return "-".join(word[a:b] for a, b in pairwise([0, *breaks, len(word)]))


def _matches(dictionary: bytes, word: str) -> Iterator[tuple[int, Sequence[int]]]:
    """Yield where each pattern ends, as the number of the gap after it, and its values."""
    magic, version, alphabet, trie, values, size = struct.unpack_from("<6I", dictionary)
    assert (magic, version, size) == (0x62AD7968, 0, len(dictionary))
    codes = [0, *(_codes(dictionary[alphabet:trie])[ord(letter)] for letter in word), 0]
    mask, shift, link_mask, values_shift, count = struct.unpack_from("<5I", dictionary, trie + 4)
    array = struct.unpack_from(f"<{count}I", dictionary, trie + 24)
    for start in range(len(codes)):
        node = 0
        for place in range(start, len(codes)):
            entry = array[node + codes[place]]
            if entry & mask != codes[place]:
                break
            node = (entry & link_mask) >> shift
            if number := array[node] >> values_shift:
                # Gap 0 is before the first letter, whose code is the second one.
                yield place + 1, _values(dictionary[values:], number)


def _codes(table: bytes) -> Mapping[int, int]:
    (version,) = struct.unpack_from("<I", table)
    if version == 0:
        first, end = struct.unpack_from("<2I", table, 4)
        return {first + at: code for at, code in enumerate(table[12 : 12 + end - first]) if code}
    (count,) = struct.unpack_from("<I", table, 4)
    return {entry >> 11: entry & 0x7FF for entry in struct.unpack_from(f"<{count}I", table, 8)}


def _values(table: bytes, number: int) -> Sequence[int]:
    (start,) = struct.unpack_from("<I", table, 8)
    (entry,) = struct.unpack_from("<I", table, 16 + 4 * number)
    length, zeros, place = entry >> 26, entry >> 20 & 0x3F, start + (entry & 0xFFFFF)
    return [*table[place : place + length], *([0] * zeros)]


def test_a_word_breaks_where_the_patterns_break_it() -> None:
    dictionary = hyb_file(patterns_of(*LIANG))

    assert hyphenated(dictionary, "hyphenation") == "hy-phen-ation"


def test_patterns_of_the_edge_of_words_count_there_only() -> None:
    dictionary = hyb_file(patterns_of(".ab1c", "c1ab.", "abc"))

    assert hyphenated(dictionary, "abcab") == "ab-c-ab"
    assert hyphenated(dictionary, "cabcabc") == "cabcabc"


def test_capitals_break_as_small_letters() -> None:
    dictionary = hyb_file(patterns_of("a1ß", "a1ij"))

    assert hyphenated(dictionary, "AẞAIJ") == "A-ẞA-IJ"
    with pytest.raises(KeyError):
        hyphenated(dictionary, "É")


def test_letters_far_apart_have_a_sorted_table() -> None:
    dictionary = hyb_file(patterns_of("a1አ"))

    assert hyphenated(dictionary, "aአ") == "a-አ"


def test_what_does_not_fit_is_an_error() -> None:
    with pytest.raises(LayerError):
        hyb_file({"a" * 80: [1, *([0] * 80)]})
    with pytest.raises(LayerError, match="places"):
        hyb_file({f"{chr(0x4E00 + number)}b": [number % 250] for number in range(40_000)})


def test_a_module_of_the_package_is_read() -> None:
    module = """(function (root, exports) {
      root.patterns = exports;
    })(this, [
      [[0, 0, 1], [0, 2]],
      { ".": { a: { b: 0 } }, "'": { c: [{ d: 0 }, 1] } },
      { present: [], table: [2], declination: [3, 6, 9] }
    ]);
    """

    assert read_patterns(module) == {
        ".ab": [0, 0, 0, 1],
        "'c": [0, 2, 0],
        "'cd": [0, 0, 1, 0],
        ".table.": [10, 11, 10, 10, 0, 0],
        ".present.": [*([10] * 6), 0, 0],
        ".declination.": [10, 10, 11, 10, 11, 10, 11, 10, 10, 10, 0, 0],
    }
    with pytest.raises(LayerError):
        read_patterns("module.exports = []")


@pytest.mark.parametrize(("language", "words"), WORDS.items())
def test_installed_dictionaries_hyphenate(language: str, words: str) -> None:
    dictionary = (DICTIONARIES / f"hyph-{language}.hyb").read_bytes()

    for word in words.split():
        assert hyphenated(dictionary, word.replace("-", ""), 2) == word


def test_every_dictionary_is_installed_with_its_notice() -> None:
    names = {f"hyph-{language.dictionary}" for language in LANGUAGES}

    assert len(names) == len(LANGUAGES)
    assert {path.stem for path in DICTIONARIES.glob("*.hyb")} == names
    assert {path.stem for path in (DICTIONARIES / "licenses").iterdir()} == names


def test_a_notice_names_license_and_copyright() -> None:
    notice = license_notice(Language("sr", "sh-cyrl sh-latn", "MIT", "2020 A. Author"))

    assert "Copyright (C) 2020 A. Author" in notice
    assert "hyph-sh-cyrl.tex\n" in notice
    assert "hyph-sh-latn.tex\n" in notice
    assert "Permission is hereby granted" in notice
