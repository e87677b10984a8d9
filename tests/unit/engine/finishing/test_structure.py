"""The structure tree put right, and links told by their texts."""

from typing import Any

import pikepdf
import pytest

from chalicelib.engine.finishing.chromium_pdf import StructureIndex
from chalicelib.engine.finishing.tagging.pdfua import describe_links
from chalicelib.engine.finishing.tagging.structure_tree import repair_structure_tree

NAME = pikepdf.Name


class Tree:
    """A document of one page with a structure tree."""

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
        """Return what a link's element has for kids."""
        action = pikepdf.Dictionary(S=NAME.URI, URI=uri)
        annotations = [
            self.document.make_indirect(pikepdf.Dictionary(Subtype=NAME.Link, A=action))
            for _ in range(boxes)
        ]
        return [pikepdf.Dictionary(Type=NAME.OBJR, Obj=each) for each in annotations]

    def repaired(self, *kids: Any) -> list[Any]:
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


def test_what_is_not_an_items_label_goes_into_one_body(tree: Tree) -> None:
    label, text, nested = tree.element("Lbl"), tree.element("NonStruct"), tree.element("L")
    item = tree.element("LI", label, text, nested)

    tree.repaired(tree.element("L", item))

    assert types(item) == ["/Lbl", "/LBody"]
    assert types(item.K[1]) == ["/NonStruct", "/L"]
    assert nested.get("/P") == item.K[1]
    assert item.K[1].get("/P") == item


def test_content_of_an_item_itself_is_its_bodys_from_then_on(tree: Tree) -> None:
    content = pikepdf.Dictionary(Type=NAME.MCR, MCID=0, Pg=tree.page)
    item = tree.element("LI", content)
    tree.parents.append(item)

    tree.repaired(tree.element("L", item))

    assert types(item) == ["/LBody"]
    assert tree.parents[0] == item.K[0]


def test_an_item_that_is_right_stays(tree: Tree) -> None:
    body = tree.element("LBody", tree.element("P"))
    item = tree.element("LI", tree.element("Lbl"), body)

    tree.repaired(tree.element("L", item))

    assert item.K[1] == body
    assert types(body) == ["/P"]


def test_types_younger_than_the_standard_are_mapped(tree: Tree) -> None:
    tree.repaired(tree.element("P", tree.element("Em")), tree.element("Aside"))

    assert dict(tree.root.RoleMap.items()) == {"/Em": NAME.Span, "/Aside": NAME.Div}


def test_a_picture_without_a_text_is_left_for_its_author(tree: Tree) -> None:
    picture, told = tree.element("Figure"), tree.element("Figure", tree.element("P"), Alt="x")
    figure = tree.element("Figure", picture, tree.element("Caption"))

    tree.repaired(figure, told, tree.element("H3"))

    assert str(figure.S) == "/Div"
    assert str(picture.S) == str(told.S) == "/Figure"
    assert "/Alt" not in picture
    assert types(tree.root.K)[2] == "/H3"


def contents(elements: list[Any]) -> list[list[str]]:
    return [[str(kid.Obj.Contents) for kid in element.K] for element in elements]


def test_links_of_one_address_are_told_apart_in_their_order(tree: Tree) -> None:
    one, other = "https://example.com/1", "https://example.com/2"
    links = tree.repaired(
        tree.element("Link", *tree.link(one, boxes=2)),
        tree.element("NonStruct", *tree.link(other)),
        tree.element("Link", *tree.link(one)),
    )

    describe_links(links, [(one, "first"), (one, "second"), (other, "alone")])

    assert contents(links) == [["first", "first"], ["alone"], ["second"]]
    assert str(links[1].S) == "/Link"


def test_where_a_text_may_be_anothers_the_address_is_told(tree: Tree) -> None:
    same, mixed, silent, some = (f"https://example.com/{number}" for number in range(4))
    links = tree.repaired(
        *(tree.element("Link", *tree.link(uri)) for uri in (same, mixed, mixed, silent, some, some))
    )

    told = [(same, "a"), (same, ""), (mixed, "b"), (mixed, "c"), (mixed, "d")]
    describe_links(links, [*told, (some, "e"), (some, ""), (some, "f")])

    assert contents(links) == [["a"], [mixed], [mixed], [silent], [some], [some]]


def test_a_document_with_nothing_in_it_gets_a_tree() -> None:
    document = pikepdf.new()

    nothing = StructureIndex(types=frozenset(), list_items=(), figures=(), annotation_parents=())

    assert repair_structure_tree(document, nothing) == []
    assert str(document.Root.StructTreeRoot.K.S) == "/Document"


def test_no_depth_is_too_deep(tree: Tree) -> None:
    element = tree.element("Em")
    for _ in range(5000):
        element = tree.element("LI", element)

    tree.repaired(element)

    assert "/Em" in tree.root.RoleMap


def test_what_only_looks_like_an_element_is_left_alone(tree: Tree) -> None:
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
