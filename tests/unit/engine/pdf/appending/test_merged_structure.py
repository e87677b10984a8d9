"""Structure, names and forms of items in a merged PDF: kept apart, and found where they belong."""

import io

import pikepdf
import pypdf
from pikepdf import Array, Dictionary, Name, String

from tests.builders.pages.merging import Change, font, item, merge, opened, tagged


def test_named_destinations_are_those_of_their_item() -> None:
    def change(document: pikepdf.Pdf) -> None:
        page = document.pages[1].obj
        document.Root.Dests = Dictionary({"/old": Array([page, Name.Fit])})
        document.Root.Names = Dictionary(
            Dests=Dictionary(Names=Array([String("new"), Array([page, Name.Fit])]))
        )
        action = Dictionary(S=Name.GoTo, D=String("new"))
        links = [Dictionary(Dest=Name("/old")), Dictionary(A=Dictionary(S=Name.URI, Next=action))]
        for link in links:
            link.Type, link.Subtype, link.Rect = Name.Annot, Name.Link, Array([0, 0, 9, 9])
        document.pages[0].Annots = Array([document.make_indirect(link) for link in links])

    document = opened(merge([item("a", "b", change=change), item("c", "d", change=change)]))

    names = pikepdf.NameTree(document.Root.Names.Dests)
    for number in (0, 2):
        by_name, by_action = document.pages[number].Annots
        target = document.pages[number + 1].obj.objgen
        assert names[str(by_name.Dest)][0].objgen == target
        assert names[str(by_action.A.Next.D)][0].objgen == target


def test_embedded_files_are_named_by_index() -> None:
    def attach(*names: str) -> Change:
        def change(document: pikepdf.Pdf) -> None:
            for name in names:
                document.attachments[name] = pikepdf.AttachedFileSpec(
                    document,
                    name.encode(),
                    filename=name,
                    description="",
                    mime_type="",
                    creation_date="",
                    mod_date="",
                )
            document.Root.AF = Array([document.attachments[name].obj for name in names])

        return change

    items = [item("x", change=attach("a.xml", "ü.xml") if n % 5 == 0 else None) for n in range(200)]
    document = opened(merge(items))

    expected = {f"{n}-{name}" for n in range(0, 200, 5) for name in ("a.xml", "ü.xml")}
    assert set(document.attachments) == expected
    for name in expected:
        file = document.attachments[name]
        assert file.filename == name
        assert file.get_file().read_bytes() == name.partition("-")[2].encode()
    assert len(document.pages[5].AF) == 2


def test_structure_has_a_document_for_each_item() -> None:
    items = [item("a", change=tagged("H1")), item("b"), item("c", change=tagged("H1", key=7))]

    document = opened(merge(items))

    root = document.Root.StructTreeRoot
    parents = pikepdf.NumberTree(root.ParentTree)
    identifiers = pikepdf.NameTree(root.IDTree)
    assert len(root.K) == 2
    for index, place, kid in ((0, 0, root.K[0]), (2, 2, root.K[1])):
        element, page = kid.K[0], document.pages[place]
        assert kid.P.objgen == root.objgen
        assert element.Pg.objgen == page.obj.objgen
        assert parents[int(page.StructParents)][0].objgen == element.objgen
        assert str(element.ID) == f"{index}-cell"
        assert [str(each) for each in element.A.Headers] == [f"{index}-cell"]
        assert identifiers[f"{index}-cell"].objgen == element.objgen
    assert not document.Root.MarkInfo.Marked


def test_several_elements_of_the_first_level_get_a_document() -> None:
    def change(document: pikepdf.Pdf) -> None:
        tagged("P")(document)
        tree = document.Root.StructTreeRoot
        tree.K = Array([tree.K.K[0]])
        tree.K[0].P = tree

    document = opened(merge([item("a", change=change)]))

    (element,) = document.Root.StructTreeRoot.K

    assert Name.Document == element.S
    assert element.K[0].S == Name.P
    assert element.K[0].P.objgen == element.objgen


def test_same_type_may_have_two_roles() -> None:
    roles = [Dictionary(Em=Name.Span), Dictionary(Em=Name.Strong, Strong=Name.Div)]
    items = [item("a", change=tagged("Em", RoleMap=each)) for each in (*roles, roles[0])]

    document = opened(merge(items))

    root = document.Root.StructTreeRoot
    types = [element.K[0].S for element in root.K]
    assert [root.RoleMap[str(each)] for each in types] == [Name.Span, Name.Div, Name.Span]


def test_same_class_may_have_two_attributes() -> None:
    def change(place: str) -> Change:
        def with_class(document: pikepdf.Pdf) -> None:
            attributes = Dictionary(O=Name.Layout, Placement=Name(f"/{place}"))
            tagged("P", ClassMap=Dictionary(c=attributes))(document)
            document.Root.StructTreeRoot.K.K[0].C = Name.c

        return with_class

    document = opened(merge([item("a", change=change(each)) for each in ("Block", "Inline")]))

    tree = document.Root.StructTreeRoot
    classes = [tree.ClassMap[str(element.K[0].C)] for element in tree.K]
    assert [each.Placement for each in classes] == [Name.Block, Name.Inline]


def test_language_is_that_of_the_first_item() -> None:
    def change(lang: str) -> Change:
        def set_language(document: pikepdf.Pdf) -> None:
            tagged("P")(document)
            document.Root.Lang = lang

        return set_language

    document = opened(merge([item("a", change=change(lang)) for lang in ("de", "en", "de")]))

    assert document.Root.Lang == "de"
    langs = [each.get("/Lang") for each in document.Root.StructTreeRoot.K]
    assert langs == [None, "en", None]


def test_equal_field_names_are_kept_apart() -> None:
    def change(document: pikepdf.Pdf) -> None:
        names = ("name", "place")
        fields = [
            document.make_indirect(Dictionary(FT=Name.Tx, T=name, V=f"my {name}")) for name in names
        ]
        document.Root.AcroForm = Dictionary(
            Fields=Array(fields), DA=String("/F1 9 Tf"), DR=Dictionary(Font=Dictionary(F1=font()))
        )

    content = merge([item("a", change=change)] * 2)

    opened(content)
    fields = pypdf.PdfReader(io.BytesIO(content)).get_fields()
    assert fields is not None
    values = {name: field.value for name, field in fields.items() if field.value}
    assert values == {
        "name": "my name", "place": "my place",
        "item1.name": "my name", "item1.place": "my place",
    }  # fmt: skip


def test_hidden_layers_stay_hidden() -> None:
    def change(document: pikepdf.Pdf) -> None:
        layer = document.make_indirect(Dictionary(Type=Name.OCG, Name="Layer"))
        form = document.make_stream(b"", Type=Name.XObject, Subtype=Name.Form, OC=layer)
        document.pages[0].obj.Resources.XObject = Dictionary(F=form)
        document.Root.OCProperties = Dictionary(
            OCGs=Array([layer]), D=Dictionary(OFF=Array([layer]))
        )

    document = opened(merge([item("a", change=change)] * 2))

    layers = [page.obj.Resources.XObject.F.OC.objgen for page in document.pages]
    assert len({*layers}) == 2
    properties = document.Root.OCProperties
    assert [each.objgen for each in properties.OCGs] == layers
    assert [each.objgen for each in properties.D.OFF] == layers


def test_strings_that_look_like_references_are_left_alone() -> None:
    text = r"(5 0 R) /StructParents 0 << \ >> endobj"

    def change(document: pikepdf.Pdf) -> None:
        tagged("P")(document)
        document.Root.StructTreeRoot.K.K[0].ActualText = text

    document = opened(merge([item("a", change=tagged("P")), item("b", change=change)]))

    assert str(document.Root.StructTreeRoot.K[1].K[0].ActualText) == text
