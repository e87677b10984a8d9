"""Automatic hyphens: words break where the dictionary of their language says."""

import pytest

from tests.builders.pages.real_browser import Render
from tests.builders.pdfs.content import texts

HYPHEN = "\u2010"
GERMAN = "Donaudampfschifffahrtsgesellschaft"


def pieces(render: Render, language: str, words: str, style: str = "hyphens: auto") -> list[str]:
    """Return the lines of a column that is as wide as one letter."""
    html = f"<p lang='{language}' style='width: 1px; {style}'>{words}"
    (file,) = render(html).files
    (text,) = texts(file.content)
    return text.split()


@pytest.mark.parametrize(
    ("language", "pieces_of_word"),
    [
        ("de", "Do nau dampf schiff fahrts ge sell schaft"),
        ("de-AT", "STRAS SEN BAHN"),
        ("en", "in ter na tion al iza tion"),
        ("en-GB", "mis un der stand ing"),
        ("fr-CA", "fac tu ra tion"),
        ("pt-BR", "res pon sa bi li dade"),
        ("nl", "ver ant woor de lijk heid"),
        ("no", "fak tu ra num mer"),
        ("ru", "от вет ствен ность"),
        ("sr-Latn", "od go vor nost"),
        ("mn", "мон гол"),
        ("am", "ኢት ዮጵያ"),
        ("ta", "வணக் கம்"),
    ],
)
def test_words_break_by_their_language(render: Render, language: str, pieces_of_word: str) -> None:
    found = pieces(render, language, pieces_of_word.replace(" ", ""))

    assert found == pieces_of_word.replace(" ", f"{HYPHEN} ").split()


@pytest.mark.parametrize(
    ("language", "word", "style"),
    [
        ("de", GERMAN, ""),
        ("de", GERMAN, "hyphens: manual"),
        ("", GERMAN, "hyphens: auto"),
        ("ro", GERMAN, "hyphens: auto"),
        # Chromium breaks no longer words.
        ("de", GERMAN * 2, "hyphens: auto"),
    ],
)
def test_words_stay_whole(render: Render, language: str, word: str, style: str) -> None:
    assert pieces(render, language, word, style) == [word]


def test_soft_hyphens_come_first(render: Render) -> None:
    assert pieces(render, "en", "exceptio&shy;nally") == [f"exceptio{HYPHEN}", "nally"]
