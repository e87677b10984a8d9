"""Structure tree repair and link descriptions."""

from typing import Any

import pikepdf
import pytest

from chalicelib.engine.pdf.tagging.pdfua import describe_links
from chalicelib.engine.pdf.tagging.structure_tree import repair_structure_tree
from chalicelib.engine.pdf.text.chromium_pdf import StructureIndex

NAME = pikepdf.Name


class Tree:
    """Document of one page with a structure tree."""

    def __init__(self) -> None:
        self.document = pikepdf.new()
        self.page = self.document.add_blank_page().obj
        self.page.StructParents = 0
        self.parents = self.document.make_indirect(pikepdf.Array())
        self.root = self.document.make_indirect(
            pikepdf.Dictionary(ParentTree={"/Nums": pikepdf.Array([0, self.parents])})
        )
        self.document.Root.StructTreeRoot = self.root
        self.made: list[Any] = []
        self.root.K = self.element("Document")

    def element(self, type_: str, *kids: Any, **entries: Any) -> Any:
        element = self.document.make_indirect(
            pikepdf.Dictionary(S=NAME("/" + type_), K=pikepdf.Array(kids), **entries)
        )
        for kid in kids:
            if isinstance(kid, pikepdf.Dictionary) and "/S" in kid:
                kid.P = element
        self.made.append(element)
        return element

    def link(self, uri: str, *, boxes: int = 1) -> list[Any]:
        """Return the kids of a link element."""
        action = pikepdf.Dictionary(S=NAME.URI, URI=uri)
        annotations = [
            self.document.make_indirect(pikepdf.Dictionary(Subtype=NAME.Link, A=action))
            for _ in range(boxes)
        ]
        return [pikepdf.Dictionary(Type=NAME.OBJR, Obj=each) for each in annotations]

    def repair(self, *kids: Any) -> list[Any]:
        self.root.K.K = pikepdf.Array(kids)
        return repair_structure_tree(self.document, self.elements())

    def elements(self) -> StructureIndex:
        def numbers(types: str) -> tuple[int, ...]:
            return tuple(each.objgen[0] for each in self.made if str(each.S) in types.split())

        return StructureIndex(
            types=frozenset(str(each.S) for each in self.made),
            list_items=numbers("/LI"),
            figures=numbers("/Figure"),
            annotation_parents=numbers("/Link /NonStruct"),
        )


@pytest.fixture
def tree() -> Tree:
    return Tree()


def types(element: Any) -> list[str]:
    return [str(kid.S) for kid in element.K]


def test_list_item_content_beside_its_label_is_wrapped_in_one_body(tree: Tree) -> None:
    label, text, nested = tree.element("Lbl"), tree.element("NonStruct"), tree.element("L")
    item = tree.element("LI", label, text, nested)

    tree.repair(tree.element("L", item))

    assert types(item) == ["/Lbl", "/LBody"]
    assert types(item.K[1]) == ["/NonStruct", "/L"]
    assert nested.get("/P") == item.K[1]
    assert item.K[1].get("/P") == item


def test_direct_list_item_content_moves_into_its_body(tree: Tree) -> None:
    content = pikepdf.Dictionary(Type=NAME.MCR, MCID=0, Pg=tree.page)
    item = tree.element("LI", content)
    tree.parents.append(item)

    tree.repair(tree.element("L", item))

    assert types(item) == ["/LBody"]
    assert tree.parents[0] == item.K[0]


def test_correct_list_item_is_unchanged(tree: Tree) -> None:
    body = tree.element("LBody", tree.element("P"))
    item = tree.element("LI", tree.element("Lbl"), body)

    tree.repair(tree.element("L", item))

    assert item.K[1] == body
    assert types(body) == ["/P"]


def test_types_outside_pdf_1_7_are_role_mapped(tree: Tree) -> None:
    tree.repair(tree.element("P", tree.element("Em")), tree.element("Aside"))

    assert dict(tree.root.RoleMap.items()) == {"/Em": NAME.Span, "/Aside": NAME.Div}


def test_figure_without_alt_text_is_unchanged(tree: Tree) -> None:
    picture, texts_by_link = (
        tree.element("Figure"),
        tree.element("Figure", tree.element("P"), Alt="x"),
    )
    figure = tree.element("Figure", picture, tree.element("Caption"))

    tree.repair(figure, texts_by_link, tree.element("H3"))

    assert str(figure.S) == "/Div"
    assert str(picture.S) == str(texts_by_link.S) == "/Figure"
    assert "/Alt" not in picture
    assert types(tree.root.K)[2] == "/H3"


def contents(elements: list[Any]) -> list[list[str]]:
    return [[str(kid.Obj.Contents) for kid in element.K] for element in elements]


def test_links_with_one_url_are_described_in_order(tree: Tree) -> None:
    one, other = "https://example.com/1", "https://example.com/2"
    links = tree.repair(
        tree.element("Link", *tree.link(one, boxes=2)),
        tree.element("NonStruct", *tree.link(other)),
        tree.element("Link", *tree.link(one)),
    )

    describe_links(links, [(one, "first"), (one, "second"), (other, "alone")])

    assert contents(links) == [["first", "first"], ["alone"], ["second"]]
    assert str(links[1].S) == "/Link"


def test_ambiguous_link_text_is_replaced_by_its_url(tree: Tree) -> None:
    same, mixed, silent, some = (f"https://example.com/{number}" for number in range(4))
    links = tree.repair(
        *(tree.element("Link", *tree.link(uri)) for uri in (same, mixed, mixed, silent, some, some))
    )

    texts_by_link = [(same, "a"), (same, ""), (mixed, "b"), (mixed, "c"), (mixed, "d")]
    describe_links(links, [*texts_by_link, (some, "e"), (some, ""), (some, "f")])

    assert contents(links) == [["a"], [mixed], [mixed], [silent], [some], [some]]


def test_empty_document_gets_a_structure_tree() -> None:
    document = pikepdf.new()

    nothing = StructureIndex(types=frozenset(), list_items=(), figures=(), annotation_parents=())

    assert repair_structure_tree(document, nothing) == []
    assert str(document.Root.StructTreeRoot.K.S) == "/Document"


def test_deeply_nested_tree_is_repaired(tree: Tree) -> None:
    element = tree.element("Em")
    for _ in range(5000):
        element = tree.element("LI", element)

    tree.repair(element)

    assert "/Em" in tree.root.RoleMap


def test_objects_that_are_no_structure_elements_are_unchanged(tree: Tree) -> None:
    stream, paragraph = tree.document.make_stream(b"x"), tree.element("P")
    others = (stream.objgen[0], tree.page.objgen[0], paragraph.objgen[0], 9_999_999)

    links = repair_structure_tree(
        tree.document,
        StructureIndex(
            types=frozenset(), list_items=others, figures=others, annotation_parents=others
        ),
    )

    assert links == []
    assert dict(paragraph.items()) == {"/S": NAME.P, "/K": pikepdf.Array()}
