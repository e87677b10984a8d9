"""Conversion to PDF/A: what is replaced, removed and kept; veraPDF judges elsewhere."""

import io

import pikepdf
import pypdf
import pypdfium2
import pytest
from pikepdf import Array, Dictionary, Name, Stream, String
from PIL import Image, ImageChops

from chalicelib.contract.options.pdf import PdfALevel
from chalicelib.contract.options.pdf_tools import PdfaOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.conformance.checks import ConformanceCheck
from tests.builders.pdfs.tool_call import ToolCall, call_tool
from tests.builders.pdfs.unarchived import (
    add_annotations,
    add_attachments,
    add_cmyk,
    add_form,
    add_media,
    add_metadata,
    add_print_intent,
    add_scripts,
    base_font,
    composite_font,
    different_names,
    document,
    locked,
)


def convert(content: bytes, level: PdfALevel = "2b", *, password: str | None = None) -> ToolCall:
    return call_tool(PdfaOptions(level), content, password=password)


def converted(content: bytes, level: PdfALevel = "2b") -> pikepdf.Pdf:
    return pikepdf.open(io.BytesIO(convert(content, level).file.content))


def picture(content: bytes) -> Image.Image:
    with pypdfium2.PdfDocument(content) as pdf:
        pdf.init_forms()
        drawn: Image.Image = pdf[0].render().to_pil()
        return drawn


def difference(first: bytes, second: bytes) -> float:
    """Return the mean difference of two drawn pages, in levels of 255."""
    changed = ImageChops.difference(picture(first), picture(second)).convert("L")
    return sum(level * count for level, count in enumerate(changed.histogram())) / (
        changed.width * changed.height
    )


def text_of(content: bytes) -> str:
    return pypdf.PdfReader(io.BytesIO(content)).pages[0].extract_text()


def test_file_is_left_to_the_validators() -> None:
    call = convert(document(), "3u")

    (check,) = call.output.checks
    assert check.content == call.file.content
    assert check.checks == (ConformanceCheck.pdfa("3u"),)
    assert (call.file.pages, call.warnings) == (1, [])


@pytest.mark.parametrize(
    ("name", "bundled"),
    [
        ("Helvetica-BoldOblique", "Arimo-700Bold-Italic"),
        ("ABCDEF+TimesNewRomanPS-BoldMT", "Tinos-700Bold"),
        ("CourierNew,Italic", "Cousine-400Regular-Italic"),
        ("Georgia", "Tinos-400Regular"),
        ("NobodyKnows", "Arimo-400Regular"),
        ("ZapfDingbats", "NotoSansSymbols2-400Regular"),
    ],
)
def test_missing_font_is_replaced_by_one_of_its_family(name: str, bundled: str) -> None:
    font = base_font(name)
    if name == "ZapfDingbats":
        del font["/Encoding"]

    with converted(document(font=font)) as pdf:
        replaced = pdf.pages[0].obj.Resources.Font.F
        assert str(replaced.BaseFont).partition("+")[2] == bundled
        assert replaced.FontDescriptor.FontFile2.read_bytes()[:4] == b"\0\1\0\0"


def test_text_looks_and_reads_the_same() -> None:
    source = document()

    content = convert(source).file.content

    assert text_of(content) == text_of(source) == "Quick äöü fox"
    assert difference(content, source) < 0.3


def test_widths_of_the_document_stay() -> None:
    with converted(document(different_names)) as pdf:
        font = pdf.pages[0].obj.Resources.Font.F
        assert "/Encoding" not in font
        assert {int(width) for width in font.Widths} <= {0, 520}


def test_characters_by_name_are_those_of_the_document() -> None:
    # Q is the euro, u is as ever, x is a ligature and y a Hungarian letter.
    content = convert(document(different_names, content=b"BT /F 9 Tf 9 9 Td (QRuy) Tj ET"))

    assert text_of(content.file.content) == "€Жuő"


def test_composite_font_gets_the_glyphs_of_its_characters() -> None:
    content = convert(document(composite_font)).file.content

    assert text_of(content) == "Quick 漢字"
    assert picture(content).convert("L").getextrema()[0] == 0


def test_composite_font_of_unknown_characters_is_refused() -> None:
    def change(pdf: pikepdf.Pdf) -> None:
        composite_font(pdf)
        del pdf.pages[0].obj.Resources.Font.F["/ToUnicode"]

    with pytest.raises(RenderFailure, match="MSGothic is not embedded") as refused:
        convert(document(change))
    assert refused.value.code == "pdfa_conversion_failed"


def test_untagged_document_has_no_level_a() -> None:
    with pytest.raises(RenderFailure, match="has no tags") as refused:
        convert(document(), "2a")

    assert refused.value.code == "pdfa_conversion_failed"


def test_scripts_and_actions_of_events_leave() -> None:
    with converted(document(add_scripts)) as pdf:
        whole = b"".join(each.unparse(resolved=True) for each in pdf.objects)
        assert not any(key in whole for key in (b"JavaScript", b"Launch", b"/AA", b"/Next"))
        assert Name.GoTo == pdf.Root.OpenAction.S


def test_media_leave_with_a_warning() -> None:
    call = convert(document(add_media, add_annotations))

    assert [warning.code for warning in call.warnings] == ["feature_unavailable"] * 4
    with pikepdf.open(io.BytesIO(call.file.content)) as pdf:
        kinds = {str(each.Subtype) for each in pdf.pages[0].obj.Annots}
        assert "/Highlight" in kinds
        assert not kinds & {"/Movie", "/Sound", "/Screen", "/3D"}


def add_shapes(pdf: pikepdf.Pdf) -> None:
    """Add the annotations that pdfium draws without an appearance."""
    add_annotations(pdf)
    page = pdf.pages[0].obj
    texts = ("/FreeText", "/Stamp")
    page.Annots = Array([each for each in page.Annots if each.get("/Subtype") not in texts])


def test_annotations_look_as_before() -> None:
    source, bare = document(add_shapes), document()

    content = convert(source).file.content

    assert difference(content, bare) > 0.1
    assert difference(content, source) < difference(source, bare)


def test_values_of_fields_are_drawn() -> None:
    content = convert(document(add_form)).file.content

    name = picture(content).crop((30, 720, 130, 744)).convert("L")
    assert name.histogram()[:100] != [0] * 100


def test_hidden_annotation_shows_nothing() -> None:
    with converted(document(add_annotations)) as pdf:
        (hidden,) = [
            each for each in pdf.pages[0].obj.Annots if each.get("/Contents") == String("hidden")
        ]
        assert hidden.F == 4
        assert list(hidden.Rect)[:2] == list(hidden.Rect)[2:]


def test_form_keeps_its_fields_and_loses_xfa() -> None:
    source = document(add_form)

    call = convert(source)

    fields = pypdf.PdfReader(io.BytesIO(call.file.content)).get_fields() or {}
    assert fields.keys() == {"name", "list", "box", "push", "sign", "secret"}
    assert fields["name"]["/V"] == "Ada"
    with pikepdf.open(io.BytesIO(call.file.content)) as pdf:
        assert not {"/XFA", "/NeedAppearances"} & set(pdf.Root.AcroForm.keys())
    assert [warning.detail for warning in call.warnings] == ["signature"]


def test_part_2_has_no_attachments() -> None:
    call = convert(document(add_attachments))

    (warning,) = call.warnings
    assert warning.code == "feature_unavailable"
    assert "a.txt, b.txt, c.bin" in warning.message
    assert pypdf.PdfReader(io.BytesIO(call.file.content)).attachments == {}


def test_part_2_keeps_an_attachment_that_is_pdfa() -> None:
    archived = convert(document()).file.content

    def change(pdf: pikepdf.Pdf) -> None:
        pdf.attachments["archived.pdf"] = archived

    call = convert(document(change))

    assert call.warnings == []
    kept = pypdf.PdfReader(io.BytesIO(call.file.content)).attachments
    assert kept["archived.pdf"] == [archived]


def test_part_3_keeps_and_declares_attachments() -> None:
    call = convert(document(add_attachments), "3b")

    assert call.warnings == []
    with pikepdf.open(io.BytesIO(call.file.content)) as pdf:
        files = list(pdf.Root.AF)
        assert sorted(str(file.UF) for file in files) == ["a.txt", "b.txt", "c.bin"]
        assert all("/AFRelationship" in file for file in files)


def test_metadata_are_told_twice_and_claim_the_level() -> None:
    with converted(document(add_metadata), "3u") as pdf:
        with pdf.open_metadata() as metadata:
            assert metadata["dc:title"] == "Titel <&>"
            assert metadata["dc:creator"] == ["Ada"]
            assert metadata["xmp:CreateDate"] == "2024-02-29T12:00:00+01:00"
            assert (metadata["pdfaid:part"], metadata["pdfaid:conformance"]) == ("3", "U")
        assert pdf.docinfo["/Title"] == String("Titel <&>")


def test_colours_of_inks_get_a_profile() -> None:
    source = document(add_cmyk)

    content = convert(source).file.content

    assert difference(content, source) < 0.3
    with pikepdf.open(io.BytesIO(content)) as pdf:
        assert pdf.Root.OutputIntents[0].DestOutputProfile.N == 3
        assert "/DefaultCMYK" in pdf.pages[0].obj.Resources.ColorSpace


def test_profile_of_inks_of_the_document_stays() -> None:
    with converted(document(add_print_intent)) as pdf:
        (intent,) = pdf.Root.OutputIntents
        assert intent.S == Name.GTS_PDFA1
        assert intent.DestOutputProfile.N == 4
        assert "/DefaultRGB" in pdf.pages[0].obj.Resources.ColorSpace


def test_document_without_inks_gets_no_profile_of_them() -> None:
    with converted(document()) as pdf:
        assert "/ColorSpace" not in pdf.pages[0].obj.Resources


def test_locked_source_is_written_without_protection() -> None:
    content = convert(locked(document()), password="user").file.content

    with pikepdf.open(io.BytesIO(content)) as pdf:
        assert not pdf.is_encrypted


def test_equal_sources_give_equal_bytes() -> None:
    first, second = (convert(document(add_form, add_cmyk)).file.content for _ in range(2))

    assert first == second


def test_loops_end() -> None:
    def change(pdf: pikepdf.Pdf) -> None:
        form = Stream(pdf, b"/X Do", Subtype=Name.Form, BBox=[0, 0, 9, 9])
        form.Resources = Dictionary(XObject=Dictionary(X=form))
        page = pdf.pages[0].obj
        page.Resources.XObject = Dictionary(X=form)
        field = pdf.make_indirect(Dictionary(Subtype=Name.Widget, Rect=[0, 0, 9, 9]))
        pdf.Root.AcroForm = Dictionary(Fields=Array([field]))
        field.Parent = field
        order = pdf.make_indirect(Array([]))
        order.append(order)
        page.Annots = Array([field, page, 7])
        pdf.Root.OCProperties = Dictionary(OCGs=Array([]), D=Dictionary(Order=order))

    assert convert(document(change)).file.pages == 1
