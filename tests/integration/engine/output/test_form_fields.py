"""Controls of a page as form fields: names, values, places, looks, and the tool that fills them."""

import io
from collections import defaultdict
from typing import Any, Final

import pikepdf
import pypdf
import pypdfium2
import pytest
from PIL import Image, ImageChops

from chalicelib.contract.options.pdf_tools import FlattenOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.output import form_fields
from chalicelib.engine.browser.output.form_fields import FIELD_URL
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.job import RenderOutcome
from chalicelib.engine.pdf.tagging.structure_tree import element_annotations
from tests.builders.pages.real_browser import render_with
from tests.builders.pdfs.content import picture, run_tool, texts
from tests.builders.pdfs.forms import fill, font_files

FORMS: Final = {"forms": True, "margin": dict.fromkeys(("top", "right", "bottom", "left"), "0")}
PAGE: Final = """<!doctype html><title>Form</title><style>body{margin:0}
.box{position:absolute;box-sizing:border-box;border:0;background:#ffc}</style><form>
<label>Name <input name=user.name value="Ada Lövelace" maxlength=30 required></label>
<input name=user.mail type=email readonly value=ada@example.com><input name=user.name value=twin>
<input type=checkbox name=ok value="ja klar" checked><input type=checkbox name=no>
<input type=radio name=pay value=card><input type=radio name=pay value=cash checked>
<input type=password name=pw value=geheim><input type=hidden name=hid value=1>
<input type=submit name=go value=Go><input type=file name=file><input id=by-id placeholder=hint>
<select name=land><option value=AT>Austria<option value=DE selected>Germany</select>
<select name=tags multiple size=3><option value=a selected>Alpha<option>Beta
<option value=c selected>Gamma</select>
<textarea name=text>two\nlines</textarea></form>"""


def made(browser: Browser, html: str = PAGE, **pdf: Any) -> bytes:
    return render_with(browser, html, pdf={**FORMS, **pdf}).files[0].content


def fields_of(content: bytes) -> dict[str, tuple[str, Any]]:
    found = pypdf.PdfReader(io.BytesIO(content)).get_fields() or {}
    return {
        name: (field.field_type, field.value) for name, field in found.items() if field.field_type
    }


def test_controls_become_fields_with_names_and_values(browser: Browser) -> None:
    content = made(browser)

    assert fields_of(content) == {
        "user.name": ("/Tx", "Ada Lövelace"),
        "user.mail": ("/Tx", "ada@example.com"),
        "user.name-2": ("/Tx", "twin"),
        "ok": ("/Btn", "/ja klar"),
        "no": ("/Btn", "/Off"),
        "pay": ("/Btn", "/cash"),
        "pw": ("/Tx", ""),
        "by-id": ("/Tx", ""),
        "land": ("/Ch", "DE"),
        "tags": ("/Ch", ["a", "c"]),
        "text": ("/Tx", "two\nlines"),
    }
    assert b"geheim" not in content
    with pikepdf.open(io.BytesIO(content)) as document:
        user, *_ = document.Root.AcroForm.Fields
        name, mail, _ = user.Kids
        assert [str(name.TU), *map(int, (name.Ff, name.MaxLen, mail.Ff))] == ["Name", 2, 30, 1]


def test_names_and_states_of_fields_are_those_that_a_reader_sees(browser: Browser) -> None:
    html = (
        "<label>Country <select name=s><option>Austria<option>Italy</select></label>"
        "<fieldset><legend>Pay <i>by</i></legend><label><input type=radio name=r value=a>Card"
        "</label><label><input type=radio name=r value=b>Cash</label></fieldset>"
        "<fieldset disabled><input name=d></fieldset><p style='visibility:hidden'><input name=h>"
    )

    with pikepdf.open(io.BytesIO(made(browser, html))) as document:
        fields = {str(field.T): field for field in document.Root.AcroForm.Fields}
    assert set(fields) == {"s", "r", "d"}
    assert [str(fields[name].TU) for name in "sr"] == ["Country", "Pay by"]
    assert int(fields["d"].Ff) & 1


@pytest.mark.parametrize(("landscape", "scale"), [(False, 1.0), (True, 1.5)])
def test_fields_lie_where_the_controls_are_printed(
    browser: Browser, *, landscape: bool, scale: float
) -> None:
    html = (
        "<style>body{margin:0}</style><div style='height:1300px'></div>"
        "<div style='display:flex'><input name=a style='flex:1;height:40px;margin:0;border:0;"
        "background:red;box-sizing:border-box'></div>"
    )
    content = made(browser, html, landscape=landscape, scale=scale)

    with pikepdf.open(io.BytesIO(content)) as document:
        (page,) = [page for page in document.pages if page.get("/Annots")]
        (widget,) = page.Annots
        left, bottom, right, top = (float(edge) for edge in widget.Rect)
        height = float(page.mediabox[3])
        number = document.pages.index(page)
    shown = picture(content, number)
    red = Image.eval(shown.convert("RGB").getchannel("G"), lambda value: 255 * (value < 128))
    box = red.getbbox()
    assert box is not None
    assert box == pytest.approx((left, height - top, right, height - bottom), abs=1.5)


def test_values_are_shown_once_and_can_be_filled_in(browser: Browser) -> None:
    content = made(browser)
    with pikepdf.open(io.BytesIO(content)) as document:
        (before,) = texts(run_tool(FlattenOptions(), content, fonts=font_files()))
        filled = fill({"user.name": "Grace", "pay": "card", "land": "AT"}, document)
    (after,) = texts(run_tool(FlattenOptions(), filled, fonts=font_files()))

    for text in ("Ada", "Germany", "lines"):
        assert before.count(text) == 1
    assert ("Ada" in after, "Grace" in after, "Austria" in after) == (False, True, True)
    assert fields_of(filled)["pay"] == ("/Btn", "/card")


@pytest.mark.parametrize("pdfua", [False, True])
def test_tagged_page_has_form_elements_and_no_marks(browser: Browser, *, pdfua: bool) -> None:
    content = made(browser, "<title>x</title><p><input name=a value=b>", pdfua=pdfua)

    assert FIELD_URL.encode() not in content
    with pikepdf.open(io.BytesIO(content)) as document:
        kinds = [
            str(each.S)
            for each in document.objects
            if isinstance(each, pikepdf.Dictionary)
            and "/S" in each
            and isinstance(each.get("/K"), pikepdf.Dictionary | pikepdf.Array)
            and "/OBJR" in repr(each.K)
        ]
    assert kinds == ["/Form"]


@pytest.mark.parametrize(
    ("rule", "controls"),
    [
        ("#c:checked ~ p", "<input type=checkbox id=c checked>"),
        ("#c:not(:checked) ~ p", "<input type=checkbox id=c>"),
        ("form:has(:checked) p", "<input type=radio checked>"),
        ("form:has(option:checked) p", "<select><option>x</select>"),
        ("form:has(#c:checked) p", "<select size=2><option id=c selected>x<option>y</select>"),
        ("input:not(:placeholder-shown) ~ p", "<input placeholder=x value=y>"),
        ("input:valid ~ p", "<input required value=y>"),
        ("textarea:valid ~ p", "<textarea required>x</textarea>"),
    ],
)
def test_rules_see_the_controls_as_they_are(browser: Browser, rule: str, controls: str) -> None:
    html = f"<style>p{{display:none}} {rule}{{display:block}}</style><form>{controls}<p>Details"

    content = made(browser, html)

    (text,) = texts(content)
    assert text.strip() == "Details"
    assert len(fields_of(content)) == 1


OWN_BUTTONS: Final = (
    "input{{appearance:none;width:9px;height:9px;background:red;transition:all 1s}}"
    "input:checked{{background:blue;transform:rotate(9deg)}}"
    "input:checked::before{{content:'x';transition:all 1s}}"
)


@pytest.mark.parametrize(
    ("style", "controls"),
    [
        (
            "",
            "x <input type=checkbox {on}><input type=checkbox {on} style='width:30px;height:30px'>",
        ),
        ("input{{vertical-align:middle}}", "x <input type=checkbox {on}>"),
        (
            OWN_BUTTONS,
            "<input type=checkbox {on}><input type=radio {on}>",
        ),
        ("", "<select><option>a<option {selected}>b</select><select size=2><option {selected}>x"),
        ("", "<input {value}><p align=right><input style='text-align:right' {value}>"),
        ("", "<input dir=rtl {value}><input type=date {date}><input type=number {number}>"),
        ("", "<textarea cols=9>{lines}</textarea><textarea dir=rtl>{lines}</textarea>"),
    ],
)
def test_value_leaves_no_trace_below_its_field(browser: Browser, style: str, controls: str) -> None:
    def below(**values: str) -> tuple[Image.Image, str]:
        page = f"<!doctype html><style>{style}</style>{controls}".format_map(
            defaultdict(str, values)
        )
        document = pypdfium2.PdfDocument(made(browser, page))
        shown = document[0].render(scale=2, may_draw_forms=False, draw_annots=False)
        return shown.to_pil().convert("L"), document[0].get_textpage().get_text_bounded()

    lines = "many words " * 9 + "\nmore\n\nwords"
    values = {"value": "value=y", "date": "value=2020-01-02", "number": "value=7", "lines": lines}

    (shown, text), (empty, empty_text) = below(on="checked", selected="selected", **values), below()

    # The corners of a frame that the browser draws itself are a little rounder.
    differences = ImageChops.difference(shown, empty).histogram()
    assert sum(differences[110:]) == 0
    assert text == empty_text


def test_page_is_as_before_for_formats_drawn_later(browser: Browser) -> None:
    def drawn(**pdf: Any) -> RenderOutcome:
        return render_with(browser, PAGE, pdf=pdf, formats=["pdf", "png", "html"])

    plain, with_fields = drawn(), drawn(forms=True)

    assert [file.content for file in plain.files[1:]] == [
        file.content for file in with_fields.files[1:]
    ]


def test_same_request_gives_the_same_bytes(browser: Browser) -> None:
    assert made(browser) == made(browser)


def test_page_without_controls_has_no_form(browser: Browser) -> None:
    with pikepdf.open(io.BytesIO(made(browser, "<p>x"))) as document:
        assert "/AcroForm" not in document.Root


def test_too_many_controls_fail_the_render(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(form_fields, "MAX_FORM_FIELDS", 3)

    made(browser, "<input>" * 3)
    with pytest.raises(RenderFailure, match="has 4 controls"):
        made(browser, "<input>" * 4)


def test_hostile_names_and_values_stay_texts(browser: Browser) -> None:
    html = (
        "<input name='..' value='(\\)'><input name='a..b'><input name=a><input name='a'>"
        "<input type=checkbox name='#/ü' value=Off checked><input type=radio value='' checked>"
        f"<a href='{FIELD_URL}bad'>own</a>"
    )
    found = fields_of(made(browser, html))

    assert found["field"] == ("/Tx", "(\\)")
    assert found["#/ü"] == ("/Btn", "/off")
    assert [name for name in found if name.startswith("a")] != []
    assert len(found) == 6


def test_half_a_character_is_no_reason_to_lose_a_field(browser: Browser) -> None:
    html = "<input id=a><script>a.value = a.name = 'x' + String.fromCharCode(0xd83d)</script>"

    with pikepdf.open(io.BytesIO(made(browser, html))) as document:
        (field,) = document.Root.AcroForm.Fields
        assert (str(field.T), str(field.V)) == ("x\ufffd", "x\ufffd")


@pytest.mark.parametrize("pdfua", [False, True])
def test_control_on_two_pages_is_one_field_and_one_element(
    browser: Browser, *, pdfua: bool
) -> None:
    html = "<title>x</title><textarea aria-label=t style='height:1500px'>secret</textarea>"

    with pikepdf.open(io.BytesIO(made(browser, html, pdfua=pdfua))) as document:
        elements = [
            each
            for each in document.objects
            if isinstance(each, pikepdf.Dictionary) and "/S" in each and "/P" in each
        ]
        referring = {each.objgen: (str(each.S), element_annotations(each)) for each in elements}
        ((kind, annotations),) = [each for each in referring.values() if each[1]]
        assert (kind, [str(each.Subtype) for each in annotations]) == ("/Form", ["/Widget"])
        assert sum(len(page.get("/Annots", [])) for page in document.pages) == 1
        assert not [each for each in document.objects if "/URI" in repr(each)]
