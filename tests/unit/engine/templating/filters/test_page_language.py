"""Language of a page, found without parsing hostile HTML."""

import pytest

from chalicelib.engine.templating.filters.locale_defaults import page_language


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ('<!doctype html>\n<!-- x --><html lang="de-CH">', "de-CH"),
        ("<HTML class=a\n\tLANG = 'pt-BR'>", "pt-BR"),
        ("<html data-lang=de><p lang=fr>", None),
        ("<html><body lang=de>", None),
        ("<htmlx lang=de>", None),
        ("<html lang=''>", None),
        ("<html lang=x-klingon>", None),
        ("", None),
        (" " * 100_000 + "<html lang=de>", None),
        ("<html " + " " * 2000 + "lang=de>", None),
    ],
)
def test_page_language_is_that_of_the_first_tag(html: str, language: str | None) -> None:
    assert page_language(html) == language


@pytest.mark.parametrize("piece", ["<html ", "<html lang", "<html\t lang = ", " lang=", "<"])
def test_language_scan_of_a_hostile_page_is_bounded(piece: str) -> None:
    assert page_language(piece * 4_000_000) is None
