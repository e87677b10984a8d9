"""Pages that share resources: only what the chosen pages use stays in the file."""

import io
import time
from typing import Any

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from chalicelib.contract.options.pdf_tools import (
    DeletePagesOptions,
    ExtractPagesOptions,
    ReorderOptions,
    SplitOptions,
    ToolOptions,
)
from chalicelib.engine.pdf.pages.content_names import content_names
from tests.builders.pdfs.tool_runs import opened, run_tool

BOX = Array([0, 0, 9, 9])


class SharedPages:
    """Document whose pages share one dictionary of resources; streams are known by a mark."""

    def __init__(self) -> None:
        self.document = pikepdf.new()
        self.shared = self.document.make_indirect(
            Dictionary(
                Font=Dictionary(),
                XObject=Dictionary(),
                Pattern=Dictionary(),
                ExtGState=Dictionary(),
            )
        )

    def stream(self, mark: str, content: bytes = b"", **entries: Any) -> Any:
        return self.document.make_stream(content, Mark=String(mark), **entries)

    def image(self, mark: str) -> Any:
        return self.stream(
            mark,
            b"\0",
            Type=Name.XObject,
            Subtype=Name.Image,
            Width=1,
            Height=1,
            BitsPerComponent=8,
            ColorSpace=Name.DeviceGray,
        )

    def form(self, mark: str, content: bytes, **entries: Any) -> Any:
        return self.stream(mark, content, Type=Name.XObject, Subtype=Name.Form, BBox=BOX, **entries)

    def add_images(self, *marks: str) -> None:
        for mark in marks:
            self.shared.XObject[f"/{mark}"] = self.image(mark)

    def add_page(self, content: bytes, **entries: Any) -> Any:
        page = Dictionary(
            Type=Name.Page,
            MediaBox=BOX,
            Resources=self.shared,
            Contents=self.document.make_stream(content),
            **entries,
        )
        self.document.pages.append(pikepdf.Page(self.document.make_indirect(page)))
        return self.document.pages[-1].obj

    def saved(self) -> bytes:
        target = io.BytesIO()
        self.document.save(target)
        return target.getvalue()

    def left(self, options: ToolOptions | None = None) -> list[str]:
        return marks(files(options or ExtractPagesOptions(pages="1"), self.saved())[0])


def files(options: ToolOptions, content: bytes) -> list[bytes]:
    return [file.content for file in run_tool(options, content)[0].files]


def marks(content: bytes) -> list[str]:
    with opened(content) as document:
        return sorted(
            str(each.Mark)
            for each in document.objects
            if isinstance(each, pikepdf.Stream) and "/Mark" in each
        )


def three_pages() -> SharedPages:
    pages = SharedPages()
    pages.add_images("a", "b", "c", "never")
    for name in (b"a", b"b", b"c"):
        pages.add_page(b"q 9 0 0 9 0 0 cm /%b Do Q" % name)
    return pages


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (ExtractPagesOptions(pages="2"), [["b"]]),
        (DeletePagesOptions(pages="2"), [["a", "c"]]),
        (SplitOptions(), [["a"], ["b"], ["c"]]),
        (SplitOptions(ranges=("2-3", "1", "2")), [["b", "c"], ["a"], ["b"]]),
        (ReorderOptions(order=(3, 1, 2)), [["a", "b", "c"]]),
    ],
)
def test_pictures_of_gone_pages_are_gone(options: ToolOptions, expected: list[list[str]]) -> None:
    assert [marks(each) for each in files(options, three_pages().saved())] == expected


def test_inherited_resources_are_reduced_too() -> None:
    pages = three_pages()
    for page in pages.document.pages:
        del page.obj.Resources
    pages.document.Root.Pages.Resources = pages.shared

    assert pages.left() == ["a"]


def test_forms_within_forms_that_share_the_resources_are_reduced() -> None:
    pages = three_pages()
    inner = pages.form("inner", b"/b Do /outer Do", Resources=pages.shared)
    pages.shared.XObject.inner = inner
    pages.shared.XObject.outer = pages.form("outer", b"/inner Do", Resources=pages.shared)
    pages.shared.XObject.other = pages.form("other", b"/c Do", Resources=pages.shared)
    pages.document.pages[0].obj.Contents = pages.document.make_stream(b"/outer Do")

    assert pages.left() == ["b", "inner", "outer"]
    assert pages.left(ExtractPagesOptions(pages="3")) == ["c"]


def test_a_name_that_a_form_lacks_is_that_of_its_page() -> None:
    pages = three_pages()
    deep = pages.form("deep", b"/b Do", Resources=Dictionary())
    pages.shared.XObject.bare = pages.form("bare", b"/c Do")
    pages.shared.XObject.full = pages.form(
        "full", b"/deep Do /a Do", Resources=Dictionary(XObject={"/deep": deep, "/a": deep})
    )
    pages.document.pages[0].obj.Contents = pages.document.make_stream(b"/full Do /bare Do")

    assert pages.left() == ["b", "bare", "c", "deep", "full"]


def test_patterns_masks_and_glyphs_are_content() -> None:
    pages = SharedPages()
    pages.add_images("pattern", "mask", "glyph", "loose", "gone")
    pages.shared.Pattern.P = pages.stream(
        "P", b"/pattern Do", PatternType=1, Resources=pages.shared
    )
    mask = pages.form("G", b"/mask Do", Resources=pages.shared)
    pages.shared.ExtGState.S = Dictionary(SMask=Dictionary(S=Name.Alpha, G=mask))
    for key, glyph in (("/T", b"/glyph Do"), ("/U", b"/loose Do")):
        pages.shared.Font[key] = Dictionary(
            Type=Name.Font,
            Subtype=Name.Type3,
            CharProcs=Dictionary(x=pages.stream(key, glyph)),
        )
    pages.shared.Font.T.Resources = pages.shared
    pages.add_page(b"/Pattern cs /P scn /S gs /T 1 Tf /U 1 Tf (x) Tj")
    pages.add_page(b"/gone Do")

    assert pages.left() == [
        *("/T", "/U", "G", "P", "glyph", "loose", "mask", "pattern"),
    ]
    assert pages.left(ExtractPagesOptions(pages="2")) == ["gone"]


def test_a_font_and_a_picture_of_one_name_are_two() -> None:
    pages = three_pages()
    pages.shared.Font["/b"] = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Courier)
    pages.document.pages[0].obj.Contents = pages.document.make_stream(b"BT /b 9 Tf (x) Tj ET")

    assert pages.left() == []
    (file,) = files(ExtractPagesOptions(pages="1"), pages.saved())
    with opened(file) as document:
        assert list(document.pages[0].obj.Resources.keys()) == ["/Font"]


def test_appearances_and_the_form_are_reduced() -> None:
    pages = three_pages()
    pages.shared.Font["/Helv"] = pages.stream("not really", Subtype=Name.Type1)
    pages.shared.Font["/Used"] = Dictionary(Subtype=Name.Type1, BaseFont=Name.Helvetica)
    fields = []
    for index, name in enumerate(("b", "c")):
        field = pages.document.make_indirect(
            Dictionary(
                Type=Name.Annot,
                Subtype=Name.Widget,
                FT=Name.Tx,
                T=String(name),
                Rect=BOX,
                DA=String("/Used 0 Tf"),
                AP=Dictionary(
                    N=pages.form(f"shows {name}", b"/%b Do" % name.encode(), Resources=pages.shared)
                ),
            )
        )
        pages.document.pages[index].obj.Annots = Array([field])
        fields.append(field)
    pages.document.Root.AcroForm = Dictionary(Fields=Array(fields), DR=pages.shared)

    assert pages.left() == ["a", "b", "shows b"]
    (file,) = files(ExtractPagesOptions(pages="1"), pages.saved())
    with opened(file) as document:
        assert list(document.Root.AcroForm.DR.Font.keys()) == ["/Used"]


def test_content_of_streams_that_divide_it_is_one() -> None:
    pages = three_pages()
    parts = [pages.document.make_stream(each) for each in (b"q /b", b"Do Q")]
    pages.document.pages[0].obj.Contents = pages.document.make_indirect(Array(parts))

    assert pages.left() == ["b"]


def test_default_colours_and_content_that_cannot_be_read_keep_what_they_need() -> None:
    pages = three_pages()
    profile = pages.stream("profile", N=3)
    pages.shared.ColorSpace = Dictionary(DefaultRGB=Array([Name.ICCBased, profile]))
    pages.shared.ColorSpace.Unused = Array([Name.ICCBased, pages.stream("other", N=3)])

    assert pages.left() == ["a", "profile"]

    broken = pages.form("broken", b"?", Filter=Name.JPXDecode, Resources=pages.shared)
    pages.shared.XObject.a = broken
    assert pages.left() == ["b", "broken", "c", "never", "other", "profile"]


def test_answers_and_actions_hold_no_gone_page() -> None:
    pages = three_pages()
    first, second = (page.obj for page in list(pages.document.pages)[:2])
    note = pages.document.make_indirect(
        Dictionary(Type=Name.Annot, Subtype=Name.Text, Rect=BOX, P=second, Contents=String("gone"))
    )
    hide = Dictionary(S=Name.Hide, T=Array([note]))
    answer = pages.document.make_indirect(
        Dictionary(Type=Name.Annot, Subtype=Name.Text, Rect=BOX, P=first, IRT=note, A=hide)
    )
    first.Annots, second.Annots = Array([answer]), Array([note])
    content = pages.saved()

    alone, both = files(SplitOptions(ranges=("1", "1-2")), content)

    assert marks(alone) == ["a"]
    with opened(alone) as document:
        assert "/IRT" not in document.pages[0].obj.Annots[0]
    with opened(both) as document:
        kept = document.pages[0].obj.Annots[0]
        assert kept.IRT.Contents == kept.A.T[0].Contents == String("gone")


def test_files_of_gone_pages_are_gone() -> None:
    pages = three_pages()
    specs = [
        pages.document.make_indirect(
            Dictionary(Type=Name.Filespec, F=String(mark), EF=Dictionary(F=pages.stream(mark)))
        )
        for mark in ("of document", "of page", "of annotation")
    ]
    listed = [part for spec in specs for part in (spec.F, spec)]
    pages.document.Root.Names = Dictionary(EmbeddedFiles=Dictionary(Names=Array(listed)))
    pages.document.pages[1].obj.AF = Array([specs[1]])
    pages.document.pages[2].obj.Annots = Array(
        [Dictionary(Type=Name.Annot, Subtype=Name.FileAttachment, Rect=BOX, FS=specs[2])]
    )

    assert [marks(each) for each in files(SplitOptions(), pages.saved())] == [
        ["a", "of document"],
        ["b", "of page"],
        ["c", "of annotation"],
    ]


def test_resources_take_time_by_the_entry() -> None:
    durations = []
    for count in (400, 3200):
        pages = SharedPages()
        pages.add_images(*(f"i{number}" for number in range(count)))
        for number in range(count):
            pages.add_page(b"/i%d Do /lacked%d gs" % (number, number))
        content = pages.saved()
        begin = time.process_time()
        ranges = tuple(str(number) for number in range(1, 400, 3))
        files(SplitOptions(ranges=ranges), content)
        files(DeletePagesOptions(pages="2"), content)
        durations.append(time.process_time() - begin)

    assert durations[1] < 24 * durations[0]


@pytest.mark.parametrize("part", [b"/a%", b"/a ", b"/", b"/a%x\n", b"/a" + b" " * 50, b"#20/"])
def test_names_take_time_by_the_byte(part: bytes) -> None:
    begin = time.process_time()

    content_names(part * (2_000_000 // len(part)))

    assert time.process_time() - begin < 10


def test_names_are_read_as_they_are_meant() -> None:
    names = content_names(b"/A#20b Do/x%c\nDo /y Dot /z/\xe4 gs[/last")

    assert names.all == {"A b", "x", "y", "z", "\udce4", "last"}
    assert names.drawn == {"A b", "x", "last"}
