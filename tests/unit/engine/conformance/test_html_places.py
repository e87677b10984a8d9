"""Places of findings in the HTML: named where the elements are known, else not at all."""

import io

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name

from chalicelib.engine.browser.output.page_elements import PageElements
from chalicelib.engine.conformance.html_places import HtmlPlaces, html_places
from chalicelib.engine.context import RenderWarning

type Tree = tuple[str, list[Tree]]


def tagged(*trees: Tree) -> bytes:
    """Return a PDF with these elements, whose types are the first words."""
    with pikepdf.new() as document:
        document.add_blank_page()

        def element(tree: Tree, parent: pikepdf.Object) -> pikepdf.Object:
            made = document.make_indirect(Dictionary(S=Name(f"/{tree[0]}"), P=parent))
            made.K = Array([element(each, made) for each in tree[1]])
            return made

        root = document.Root.StructTreeRoot = document.make_indirect(Dictionary())
        root.K = Array([element(each, root) for each in trees])
        saved = io.BytesIO()
        document.save(saved)
    return saved.getvalue()


def table(*rows: int) -> Tree:
    return "Table", [("TR", [("TD", [])] * cells) for cells in rows]


def named(content: bytes, elements: PageElements) -> dict[str, str]:
    """Return the descriptions by type, in the order of the document."""
    places = html_places(content, elements, ())
    with pikepdf.open(io.BytesIO(content)) as document:
        return {
            f"{document.get_object(number, 0).S} {rank}": description
            for rank, (number, description) in enumerate(sorted(places.elements.items()))
        }


def test_headings_and_pictures_are_named_by_their_order() -> None:
    content = tagged(("H1", []), ("P", [("Figure", [])]), ("H3", []))

    found = named(content, PageElements(["<h1> “a”", "<h3> “b”"], ["<img>"]))

    assert sorted(found.values()) == ["<h1> “a”", "<h3> “b”", "<img>"]


def test_none_is_named_where_numbers_differ() -> None:
    content = tagged(("H1", []), ("Figure", []))

    assert named(content, PageElements(["<h2>", "<h3>"], ["<img>", "<img>"])) == {}


@pytest.mark.parametrize(
    ("tables", "expected"),
    [
        ([("a", [2, 1]), ("b", [2, 2])], ["a", "b"]),
        ([("layout", [1]), ("a", [2, 1]), ("b", [2, 2])], ["a", "b"]),
        ([("a", [2, 1]), ("same", [2, 2]), ("b", [2, 2])], ["a"]),
        ([("b", [2, 2]), ("a", [2, 1])], []),
    ],
)
def test_tables_are_named_where_there_is_no_doubt(
    tables: list[tuple[str, list[int]]], expected: list[str]
) -> None:
    content = tagged(table(2, 1), ("Div", [table(2, 2)]))

    found = named(content, PageElements(tables=tables, has_odd_table=True))

    assert sorted(found.values()) == expected


def test_documents_without_suspects_are_not_opened() -> None:
    assert html_places(b"no PDF", PageElements(["<h1>", "<h2>"]), ()).elements == {}


def test_messages_get_the_nearest_element() -> None:
    places = HtmlPlaces({7: "<table>", 9: "<h2> “x”"}, "No font has X")
    location = (
        "root/document[0]/StructTreeRoot[0](5 0 obj T)/K[0](7 0 obj SETable)/K[2](8 0 obj TR)"
    )

    assert places.with_place("Rows differ.", location) == "Rows differ. In the HTML: <table>"
    assert places.with_place("Rows differ.", "root/document[0]") == "Rows differ."
    missing = "The document contains a reference to the .notdef glyph"
    assert places.with_place(missing, location) == f"{missing}. No font has X"


def test_missing_characters_come_from_the_warnings() -> None:
    warnings = [
        RenderWarning("glyph_missing", "No font has Y", "some Y here"),
        RenderWarning("slow_asset", "x", "y"),
    ]

    assert html_places(b"", PageElements(), warnings).characters == "No font has Y: “some Y here”"


def test_structures_that_go_in_circles_end() -> None:
    with pikepdf.open(io.BytesIO(tagged(("H1", [])))) as document:
        element = document.Root.StructTreeRoot.K[0]
        element.K = Array([element, element])
        saved = io.BytesIO()
        document.save(saved)

    assert html_places(saved.getvalue(), PageElements(["<h2>"]), ()).elements == {}
