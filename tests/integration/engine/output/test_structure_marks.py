"""Tags of lists of terms and of formulas (ISO 32000-1, 14.8.4), which the browser lacks."""

import io
from collections.abc import Iterator
from typing import Any

import pikepdf
import pytest

from tests.builders.pages.real_browser import Render

NESTED = "L -LI --Lbl --LBody ---L ----LI -----Lbl -----LBody"
TEX = "<annotation encoding='application/x-tex'>\\xi(1)</annotation>"
FORMULA = (
    "<math><msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi>"
    "</mrow><msqrt><mn>2</mn></msqrt></mfrac></math>"
)


def elements(parent: pikepdf.Object, depth: int = 0) -> Iterator[str]:
    """Yield the types of elements below one, but for NonStruct, and check their parents."""
    kids = parent.get("/K", pikepdf.Array())
    for kid in kids if isinstance(kids, pikepdf.Array) else [kids]:
        if isinstance(kid, pikepdf.Dictionary) and "/S" in kid:
            assert parent == kid.P
            is_plain = kid.S == "/NonStruct"
            if not is_plain:
                alternative = f" {kid.Alt}" if "/Alt" in kid else ""
                yield f"{'-' * depth}{str(kid.S)[1:]}{alternative}"
            yield from elements(kid, depth + (not is_plain))


def structure(render: Render, html: str, **pdf: Any) -> list[str]:
    (file,) = render(f"<html lang=en><title>t</title>{html}", pdf=pdf).files
    assert b"mark-" not in file.content
    with pikepdf.open(io.BytesIO(file.content)) as document:
        assert document.check_pdf_syntax() == []
        return [line[1:] for line in elements(document.Root.StructTreeRoot)][1:]


@pytest.mark.parametrize("pdf", [{}, {"pdfua": True}])
@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (
            "<dl><dt>a<dt>b<dd>c<dd>d<dt>e<dd>f</dl>",
            "L -LI --Lbl --Lbl --LBody --LBody -LI --Lbl --LBody",
        ),
        (
            "<dl><div><dt>a<dd>b<p>c</div><div><dt>d</div></dl>",
            "L -LI --Lbl --LBody ---P -LI --Lbl",
        ),
        (
            "<dl><dt>a<dd>b<dl><dt>c<dd>d</dl></dl>",
            NESTED,
        ),
        ("<dl>a<dt>b<dd>c</dl>", "L -LI --LBody -LI --Lbl --LBody"),
        ("<dl aria-label=own><dt>a</dl>", "L -LI --Lbl"),
        ("<dl><dd>a</dl>", "L -LI --LBody"),
        ("<dl style='display: none'><dt>a</dl><dl><dt>a</dl>", "L -LI --Lbl"),
        ("<dl role=group><dt>a<dd>b</dl>", "Div"),
        ("<dl></dl><p>x", "P"),
    ],
)
def test_terms_and_definitions_are_items_of_a_list(
    render: Render, html: str, expected: str, pdf: dict[str, Any]
) -> None:
    assert structure(render, html, **pdf) == expected.split()


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (FORMULA, "x^2 + (a + b)/√(2)"),
        ("<math alttext='x über 2'><mi>x</mi></math>", "x über 2"),
        (f"<math><semantics><mi>x</mi>{TEX}</semantics></math>", "\\xi(1)"),
        ("<math><mtable><mtr><mtd>1</mtd><mtd>2</mtd></mtr></mtable></math>", "[1, 2]"),
    ],
)
def test_formulas_have_a_text(render: Render, html: str, text: str) -> None:
    assert structure(render, html) == [f"Formula {text}"]
    assert structure(render, html, pdfua=True) == [f"Formula {text}"]


def test_pages_look_and_stay_as_they_are(render: Render) -> None:
    html = f"<dl><dt>a<dd>b</dl>{FORMULA}"

    outcome = render(html, formats=["pdf", "html"])

    written = outcome.files[1].content.decode()
    assert "<dl><dt>a</dt><dd>b</dd></dl>" in written
    assert "role" not in written
    assert outcome.files[0].content == render(html).files[0].content


def test_untagged_documents_have_no_marks(render: Render) -> None:
    (file,) = render(f"<dl><dt>a</dl>{FORMULA}", pdf={"tagged": False}).files

    with pikepdf.open(io.BytesIO(file.content)) as document:
        assert "/StructTreeRoot" not in document.Root


def test_hostile_lists_and_formulas_are_bounded(render: Render) -> None:
    deep = "<msqrt>" * 60 + "<mi>x</mi>" + "</msqrt>" * 60
    many = "<dl>" + "<dt>a<dd>b" * 300 + "</dl>"

    found = structure(render, f"<math>{deep}</math><math><mi>{'y' * 3_000}</mi></math>{many}")

    assert found[0].startswith("Formula √(√(")
    assert found[1] == "Formula " + "y" * 2_000
    assert found.count("-LI") == 300
