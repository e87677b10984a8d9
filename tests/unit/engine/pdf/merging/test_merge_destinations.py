"""Named destinations of merged documents: each link leads into its own document, for all readers.

Some readers keep strings of the name tree and names of PDF 1.1 apart, others have one space, and
some compare them as texts.
"""

from collections.abc import Callable

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, Object, String

from chalicelib.contract.options.pdf_tools import MergeOptions
from tests.builders.pages.merging import item, merge
from tests.builders.pdfs.tool_runs import opened, run_tool

type Merge = Callable[..., bytes]

UTF_16 = b"\xfe\xff\0s\0002"
# A reference that a document has for its second page, and where that name stands.
FORMS = {
    "name": (b"/s2", "names"),
    "string": (b"(s2)", "strings"),
    "string for a name": (b"(s2)", "names"),
    "name for a string": (b"/s2", "strings"),
    "utf-16": (b"<feff00730032>", "wide"),
}


def linked(reference: bytes, *places: str) -> bytes:
    """Return a PDF of two pages whose first has a link, by `reference`, to the second."""

    def change(document: pikepdf.Pdf) -> None:
        first, second = (page.obj for page in document.pages)
        names = Array([])
        for place, name in (("strings", b"s2"), ("wide", UTF_16)):
            if place in places:
                names.extend([String(name), Array([second, Name.Fit])])
        if len(names):
            document.Root.Names = Dictionary(Dests=Dictionary(Names=names))
        if "names" in places:
            document.Root.Dests = Dictionary({"/s2": Array([second, Name.Fit])})
        target = Object.parse(reference)
        action = document.make_indirect(Dictionary(S=Name.GoTo, D=target))
        first.Annots = Array(
            document.make_indirect(
                Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=Array([0, 0, 9, 9]), **entries)
            )
            for entries in (
                {"Dest": target},
                {"A": action},
                {"A": action},
                {"A": Dictionary(S=Name.URI, Next=Dictionary(S=Name.GoTo, D=target))},
            )
        )
        outline_item = document.make_indirect(Dictionary(Title="x", Dest=target))
        outline = Dictionary(First=outline_item, Last=outline_item, Count=1)
        document.Root.Outlines = document.make_indirect(outline)
        document.Root.Outlines.First.Parent = document.Root.Outlines

    return item("a", "b", change=change)


def by_tool(*sources: bytes) -> bytes:
    (file,) = run_tool(MergeOptions(), *sources)[0].files
    return file.content


def by_batch(*sources: bytes) -> bytes:
    return merge(sources)


def targets(document: pikepdf.Pdf, reference: Object) -> list[tuple[int, int]]:
    """Return the pages that a name leads to for a reader with one space of texts for all forms."""
    root = document.Root
    tree = root.get("/Names", Dictionary()).get("/Dests", Dictionary())
    found = [*pikepdf.NameTree(tree).items()] if len(tree) else []
    found += [(key.removeprefix("/"), each) for key, each in root.get("/Dests", {}).items()]
    text = str(reference).removeprefix("/")
    return [each[0].objgen for name, each in found if name == text]


def references(page: pikepdf.Page) -> list[Object]:
    dest, first, second, chained = page.Annots
    return [dest.Dest, first.A.D, second.A.D, chained.A.Next.D]


@pytest.mark.parametrize("by", [by_tool, by_batch])
@pytest.mark.parametrize("second", FORMS)
@pytest.mark.parametrize("first", FORMS)
def test_each_link_leads_into_its_own_document(first: str, second: str, by: Merge) -> None:
    content = by(*(linked(*FORMS[form]) for form in (first, second, first)))

    with opened(content) as document:
        for number in (0, 2, 4):
            for reference in references(document.pages[number]):
                assert targets(document, reference) == [document.pages[number + 1].obj.objgen]


@pytest.mark.parametrize("by", [by_tool, by_batch])
@pytest.mark.parametrize("first", [True, False])
def test_a_string_and_a_name_of_a_document_may_differ(first: bool, by: Merge) -> None:  # noqa: FBT001
    def change(document: pikepdf.Pdf) -> None:
        pages = [page.obj for page in document.pages]
        document.Root.Names = Dictionary(
            Dests=Dictionary(Names=Array([String("x"), Array([pages[1], Name.Fit])]))
        )
        document.Root.Dests = Dictionary({"/x": Array([pages[2], Name.Fit])})
        links = [Dictionary(Dest=String("x")), Dictionary(Dest=Name.x)]
        pages[0].Annots = Array(map(document.make_indirect, links))
        document.Root.OpenAction = Name.x

    both, other = item("a", "b", "c", change=change), item("d")
    content = by(both, other) if first else by(other, both)

    with opened(content) as document:
        begin = 0 if first else 1
        by_string, by_name = document.pages[begin].Annots
        assert targets(document, by_string.Dest) == [document.pages[begin + 1].obj.objgen]
        assert targets(document, by_name.Dest) == [document.pages[begin + 2].obj.objgen]
        if "/OpenAction" in document.Root:
            assert targets(document, document.Root.OpenAction) == [document.pages[2].obj.objgen]


@pytest.mark.parametrize("by", [by_tool, by_batch])
@pytest.mark.parametrize("reference", [b"(s2)", b"/s2"])
def test_a_name_that_its_document_lacks_finds_no_other(reference: bytes, by: Merge) -> None:
    broken, sound = linked(reference), linked(b"/s2", "names")

    for begin, sources in ((0, (broken, sound)), (2, (sound, broken))):
        with opened(by(*sources)) as document:
            for each in references(document.pages[begin]):
                assert targets(document, each) == []
            for each in references(document.pages[2 - begin]):
                assert targets(document, each) == [document.pages[3 - begin].obj.objgen]


@pytest.mark.parametrize("by", [by_tool, by_batch])
def test_names_need_not_be_utf_8(by: Merge) -> None:
    def change(document: pikepdf.Pdf) -> None:
        document.Root.Dests = Object.parse(b"<< /s#e4 [ 1 ] >>")
        link = Dictionary(Type=Name.Annot, Dest=Object.parse(b"/s#e4"))
        document.pages[0].Annots = Array([document.make_indirect(link)])

    source = item("a", "b", change=change)
    with opened(by(source, source)) as document:
        names = [bytes(page.Annots[0].Dest) for page in document.pages[::2]]
        assert names[0] != names[1]
        assert all(b"s\xe4" in name for name in names)


def test_names_of_one_document_alone_stay_as_they_are() -> None:
    with opened(by_tool(linked(b"/s2", "names"), item("c"))) as document:
        assert document.pages[0].Annots[0].Dest == Name.s2
        assert "/s2" in document.Root.Dests
        assert "/Names" not in document.Root


def test_many_names_are_merged_in_time() -> None:
    def change(document: pikepdf.Pdf) -> None:
        page = document.pages[0].obj
        names = {f"/a{'-2' * n}" for n in range(400)} | {f"/a-{n}" for n in range(4_000)}
        document.Root.Dests = Dictionary(dict.fromkeys(names, Array([page, Name.Fit])))

    source = item("a", change=change)

    with opened(by_tool(source, source, source)) as document:
        assert len(pikepdf.NameTree(document.Root.Names.Dests)) == 3 * 4_399
