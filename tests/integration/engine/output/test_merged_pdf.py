"""Combined files of documents that the engine has made, as other libraries read them."""

import io
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pikepdf
import pypdf
import pypdfium2
import pytest

from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.combining import zip_archive
from chalicelib.engine.combining.zip_archive import ZipEntry, ZipState
from infra.setup.steps import JAVA_DIR
from layers.java import compile_java, java_program
from tests.builders.pages.merging import merge, opened
from tests.builders.pages.real_browser import render_with

TABLE = "<table><thead><tr><th>No.<th>Item</thead><tr><td>1<td>Paper<tr><td>2<td>Ink</table>"
BILL = f"""<!doctype html><html lang=en><title>Bill</title><h1>Bill</h1><p>Pay <em>now</em>.{TABLE}
<p><a href="#end">To the end</a> <a href="https://a.example/">Out</a>
<h2 style="break-before:page" id=end>End</h2><ul><li>one<li>two</ul>"""
LETTER = f"""<!doctype html><html lang=de><title>Brief</title><h1>Brief</h1><em><p>Text</em>{TABLE}
<style>body {{ background: linear-gradient(red, blue); opacity: .8 }}</style>
<p><a href="#end">Zum Ende</a><svg width=50 height=50><circle r=20 cx=25 cy=25 /></svg>
<h2 id=end>Ende</h2>"""
OUTPUTS: tuple[dict[str, Any], ...] = (
    {},
    {"pdf": {"pdfa": "3b", "pdfua": True, "outline": True}},
    {"pdf": {"watermark": {"text": "Copy"}, "outline": True}},
    {"pdf": {"tagged": False, "landscape": True}},
)

NAMES_OF_ARCHIVE = """
public final class Names {
    public static void main(String[] arguments) throws java.io.IOException {
        try (java.util.zip.ZipFile archive = new java.util.zip.ZipFile(arguments[0])) {
            archive.stream().forEach(entry -> System.out.println(entry.getName()));
        }
    }
}
"""


@pytest.fixture(scope="module")
def items(browser: Browser) -> list[bytes]:
    return [
        render_with(browser, html, test=number == 0, **output).files[0].content
        for number, output in enumerate(OUTPUTS)
        for html in (BILL, LETTER)
    ]


@pytest.fixture(scope="module")
def merged(items: list[bytes]) -> bytes:
    return merge(items)


def pixels(content: bytes) -> list[bytes]:
    return [page.render(scale=1).to_pil().tobytes() for page in pypdfium2.PdfDocument(content)]


def texts(content: bytes) -> list[str]:
    return [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(content)).pages]


def elements(document: pikepdf.Pdf) -> Iterator[Any]:
    """Yield the elements of a structure tree in reading order."""
    tree = document.Root.get("/StructTreeRoot")
    kids = [] if tree is None else _kids(tree)
    while kids:
        element = kids.pop(0)
        if isinstance(element, pikepdf.Dictionary) and "/S" in element:
            yield element
            kids = _kids(element) + kids


def _kids(element: Any) -> list[Any]:
    kids = element.get("/K", [])
    return list(kids) if isinstance(kids, pikepdf.Array) else [kids]


def test_pages_look_and_read_as_those_of_the_items(items: list[bytes], merged: bytes) -> None:
    opened(merged)

    assert pixels(merged) == [page for item in items for page in pixels(item)]
    assert texts(merged) == [text for item in items for text in texts(item)]


def test_structure_is_that_of_the_items(items: list[bytes], merged: bytes) -> None:
    document = opened(merged)

    expected = []
    for item in items:
        with pikepdf.open(io.BytesIO(item)) as single:
            expected += [str(element.S) for element in elements(single)]
    roles = document.Root.StructTreeRoot.RoleMap
    found = [str(element.S) for element in elements(document)]
    # An item's type that another item has mapped otherwise is renamed.
    assert [name.partition("-")[0] for name in found] == expected
    assert {name for name in found if "-" in name} <= set(roles.keys())


def test_marked_content_leads_to_its_element(merged: bytes) -> None:
    document = opened(merged)
    parents = pikepdf.NumberTree(document.Root.StructTreeRoot.ParentTree)
    known = {element.objgen for element in elements(document)}

    tagged = [page.obj for page in document.pages if "/StructParents" in page.obj]
    assert tagged
    for page in tagged:
        owners = list(parents[int(page.StructParents)])
        assert owners
        assert all(each.objgen in known for each in owners)
        assert all(each.get("/Pg", page).objgen == page.objgen for each in owners)
        for annotation in page.get("/Annots", []):
            owner = parents[int(annotation.StructParent)]
            dictionaries = [kid for kid in _kids(owner) if isinstance(kid, pikepdf.Dictionary)]
            (target,) = [kid.Obj for kid in dictionaries if "/Obj" in kid]
            assert target.objgen == annotation.objgen


def test_links_inside_an_item_stay_inside(items: list[bytes], merged: bytes) -> None:
    def targets(content: bytes) -> list[int]:
        """Return for each link inside the document how many pages ahead it leads."""
        reader = pypdf.PdfReader(io.BytesIO(content))
        numbers = {page.indirect_reference.idnum: n for n, page in enumerate(reader.pages)}  # type: ignore[union-attr]
        found = []
        for number, page in enumerate(reader.pages):
            for annotation in page.get("/Annots", []):
                link = annotation.get_object()
                target = link.get("/Dest", link.get("/A", {}).get("/D"))
                if isinstance(target, str):
                    names = {name.lstrip("/"): each for name, each in destinations(reader).items()}
                    target = names[target.lstrip("/")]
                if target is not None:
                    found.append(numbers[target[0].idnum] - number)
        return found

    def destinations(reader: pypdf.PdfReader) -> dict[str, Any]:
        return {name: [each.raw_get("/Page")] for name, each in reader.named_destinations.items()}

    expected = [target for item in items for target in targets(item)]
    assert {0, 1} <= set(expected)
    assert targets(merged) == expected


def test_header_cells_are_found_by_their_ids(merged: bytes) -> None:
    document = opened(merged)
    identifiers = pikepdf.NameTree(document.Root.StructTreeRoot.IDTree)

    cells = [element for element in elements(document) if "/ID" in element]
    assert len({str(cell.ID) for cell in cells}) == len(cells) > 6
    assert all(identifiers[str(cell.ID)].objgen == cell.objgen for cell in cells)
    references = [
        str(identifier)
        for element in elements(document)
        for attributes in element.get("/A", [])
        for identifier in attributes.get("/Headers", [])
    ]
    assert references
    assert set(references) <= {str(cell.ID) for cell in cells}


def test_a_font_is_written_once_for_equal_items(items: list[bytes]) -> None:
    merged = merge(items[:1] * 50)

    assert len(merged) < 12 * len(items[0])
    document = opened(merged)
    fonts = {font.objgen for page in document.pages for font in page.resources.Font.values()}
    assert len(fonts) <= 4


def test_java_opens_the_archive_of_the_items(items: list[bytes], tmp_path: Path) -> None:
    state, path = ZipState(), tmp_path / "items.zip"
    parts = [
        zip_archive.append(state, f"Größe-{number}.pdf", item) for number, item in enumerate(items)
    ]
    # Beyond 65 535 entries the archive needs ZIP64.
    state.entries += [ZipEntry(f"{number}.pdf", 0, 0, 0) for number in range(70_000)]
    path.write_bytes(b"".join([*parts, zip_archive.finish(state)]))

    source = tmp_path / "Names.java"
    source.write_text(NAMES_OF_ARCHIVE)
    compile_java(JAVA_DIR, 8, [source], tmp_path, [])
    command = [java_program(JAVA_DIR), "-Dstdout.encoding=UTF-8", "-cp", str(tmp_path)]
    done = subprocess.run([*command, "Names", path], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines()[:8] == [f"Größe-{number}.pdf" for number in range(8)]
    assert len(done.stdout.splitlines()) == 70_008
