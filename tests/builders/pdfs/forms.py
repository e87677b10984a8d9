"""PDFs with forms: fields of all types, of which most lack an appearance."""

import io
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import pikepdf
import pypdf
from pikepdf import Array, Dictionary, Name, Object, String

from chalicelib.contract.options.pdf_tools import FillFormOptions, FlattenOptions
from infra.local.paths import INSTALL_DIR
from tests.builders.pdfs.content import HELVETICA, blank, run_tool

MULTILINE, PASSWORD, COMB = 1 << 12, 1 << 13, 1 << 24
READ_ONLY = 1
RADIO, PUSH_BUTTON = 1 << 15, 1 << 16
COMBO, EDITABLE, MULTI_SELECT = 1 << 17, 1 << 18, 1 << 21
BORDERED = {"/BC": Array([0.2, 0.2, 0.6]), "/BG": Array([1, 1, 0.9])}


@cache
def font_files() -> Mapping[str, bytes]:
    """Return the bundled fonts by the names of their files."""
    files = {path.name: path.read_bytes() for path in sorted(INSTALL_DIR.glob("fonts/ttf/*.ttf"))}
    assert files, "the fonts are missing; run: make setup"
    return files


class FormBuilder:
    """Builder of a document with a form."""

    def __init__(self, size: tuple[float, float] = (300, 400), content: bytes = b"") -> None:
        """Begin with one page."""
        self.document = blank(size, content=content)
        self.page = self.document.pages[0].obj
        self.page.Annots = Array()
        self.form = self.document.make_indirect(
            Dictionary(
                Fields=Array(),
                DA=String("/Helv 12 Tf 0 g"),
                DR=Dictionary(Font=Dictionary(Helv=HELVETICA)),
            )
        )
        self.document.Root.AcroForm = self.form

    def widget(self, box: Sequence[float], **entries: Any) -> Object:
        """Add a widget to the page."""
        widget = self.document.make_indirect(
            Dictionary(
                Type=Name.Annot, Subtype=Name.Widget, Rect=Array(box), F=4, P=self.page, **entries
            )
        )
        self.page.Annots.append(widget)
        return widget

    def field(self, name: str, kind: str, box: Sequence[float], **entries: Any) -> Object:
        """Add a field that is merged with its only widget."""
        looks = Dictionary({**BORDERED, **entries.pop("MK", {})})
        field = self.widget(box, T=String(name), FT=Name("/" + kind), MK=looks, **entries)
        self.form.Fields.append(field)
        return field

    def group(self, name: str, kind: str, widgets: Sequence[Object], **entries: Any) -> Object:
        """Add a field over several widgets."""
        field = self.document.make_indirect(
            Dictionary(T=String(name), FT=Name("/" + kind), Kids=Array(widgets), **entries)
        )
        for widget in widgets:
            widget.Parent = field
        self.form.Fields.append(field)
        return field

    def state(self, operators: bytes, sides: tuple[float, float] = (20, 20)) -> Object:
        """Return an appearance stream."""
        return self.document.make_stream(
            operators, Type=Name.XObject, Subtype=Name.Form, BBox=Array([0, 0, *sides])
        )

    def button(self, box: Sequence[float], on: str, state: str = "Off") -> Object:
        """Add a widget with an appearance for the state `on` (a filled box) and for Off."""
        states = Dictionary(Off=self.state(b"0 0 20 20 re S"))
        states[Name("/" + on)] = self.state(b"0 0 20 20 re S 4 4 12 12 re f")
        return self.widget(box, AP=Dictionary(N=states), AS=Name("/" + state))


def sample_form() -> pikepdf.Pdf:
    """Return a form with a field of each kind; only buttons have appearances."""
    form = FormBuilder()
    form.field("name", "Tx", [10, 360, 190, 380])
    form.field("notes", "Tx", [10, 290, 190, 350], Ff=MULTILINE, DA=String("/Helv 0 Tf 0 0 1 rg"))
    form.field("code", "Tx", [10, 260, 190, 280], Ff=COMB, MaxLen=9)
    form.field("secret", "Tx", [10, 230, 190, 250], Ff=PASSWORD)
    form.field("amount", "Tx", [10, 200, 190, 220], Q=2, DA=String("/TiRo 0 Tf 1 0 0 rg"))
    form.field("short", "Tx", [200, 360, 290, 380], MaxLen=5, Ff=READ_ONLY, V=String("abc"))
    form.field(
        "country",
        "Ch",
        [10, 170, 190, 190],
        Ff=COMBO,
        Opt=Array([Array(["de", "Germany"]), Array(["fr", "France"])]),
    )
    form.field("size", "Ch", [200, 330, 290, 350], Ff=COMBO | EDITABLE, Opt=Array(["S", "M"]))
    form.field(
        "days", "Ch", [200, 250, 290, 320], Ff=MULTI_SELECT, Opt=Array(["Mon", "Tue", "Wed", "Thu"])
    )
    form.field("agree", "Btn", [10, 130, 30, 150])
    boxes = [form.button([10 + 30 * n, 100, 30 + 30 * n, 120], on) for n, on in enumerate("abc")]
    form.group("color", "Btn", boxes, Ff=RADIO)
    bare = [
        form.widget([10 + 30 * n, 70, 30 + 30 * n, 90], MK=Dictionary(BORDERED)) for n in range(2)
    ]
    form.group("bare", "Btn", bare, Ff=RADIO, Opt=Array([String("yes"), String("no")]))
    form.field("push", "Btn", [200, 200, 290, 220], Ff=PUSH_BUTTON, MK={"/CA": String("Send")})
    form.field("signature", "Sig", [200, 170, 290, 190])
    inner = form.widget([10, 40, 190, 60], T=String("city"), FT=Name.Tx, MK=Dictionary(BORDERED))
    middle = form.document.make_indirect(Dictionary(T=String("home/~"), Kids=Array([inner])))
    form.form.Fields.append(
        form.document.make_indirect(Dictionary(T=String("address"), Kids=Array([middle])))
    )
    inner.Parent = middle
    return form.document


def field_values(content: bytes) -> dict[str, Any]:
    """Return the values of the fields, as pypdf reads them."""
    fields = pypdf.PdfReader(io.BytesIO(content)).get_fields() or {}
    return {name: field.get("/V") for name, field in fields.items()}


def annotated_page(**entries: Any) -> FormBuilder:
    """Return a page with one annotation that has an appearance: two colours, to see a turn."""
    form = FormBuilder()
    look = form.state(b"1 0 0 rg 0 0 10 10 re f 0 0 1 rg 10 0 10 10 re f", (20, 10))
    given = {"Subtype": Name.Stamp, "Rect": Array([50, 60, 150, 110]), "F": 4, **entries}
    annotation = Dictionary(**{"Type": Name.Annot, "AP": Dictionary(N=look), **given})
    form.page.Annots.append(form.document.make_indirect(annotation))
    return form


def flatten(source: bytes | pikepdf.Pdf) -> bytes:
    """Return a document with its fields and annotations drawn into the pages."""
    return run_tool(FlattenOptions(), source, fonts=font_files())


def fill(fields: dict[str, Any], source: bytes | pikepdf.Pdf | None = None) -> bytes:
    """Return a form, or the sample, with these values."""
    options = FillFormOptions.from_json({"fields": fields})
    return run_tool(options, source or sample_form(), fonts=font_files())
