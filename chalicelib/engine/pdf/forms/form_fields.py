"""Fields of a form (ISO 32000-1, 12.7): their full names, types, inherited entries and widgets."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import pikepdf

# Flags of fields (tables 221, 226, 228 and 230).
MULTILINE, PASSWORD, FILE_SELECT, COMB = 1 << 12, 1 << 13, 1 << 20, 1 << 24
RADIO, PUSH_BUTTON = 1 << 15, 1 << 16
COMBO, EDITABLE, MULTI_SELECT = 1 << 17, 1 << 18, 1 << 21
_MAX_DEPTH: Final = 50
OFF: Final = "/Off"


@dataclass(slots=True)
class FormField:
    """Terminal field: its dictionary, those above it from near to far, and its widgets.

    Several dictionaries of one full name are one field: `twins` are the others.
    """

    name: str
    lineage: tuple[pikepdf.Object, ...]
    form: pikepdf.Object
    widgets: list[pikepdf.Object]
    twins: list[pikepdf.Object] = field(default_factory=list)

    @property
    def dictionary(self) -> pikepdf.Object:
        """Return the field's own dictionary."""
        return self.lineage[0]

    def entry(self, key: str) -> pikepdf.Object | None:
        """Return an entry of the field or the nearest field above it; DA and Q also of the form."""
        for holder in (*self.lineage, self.form):
            value: pikepdf.Object | None = holder.get(key)
            if value is not None:
                return value
        return None

    def number(self, key: str) -> int:
        """Return an inherited number, or 0."""
        value: object = self.entry(key)
        return value if isinstance(value, int) else 0

    @property
    def type(self) -> str:
        """Return the type: `/Tx`, `/Btn`, `/Ch`, `/Sig` or an empty text."""
        return str(self.entry("/FT") or "")

    def has(self, flag: int) -> bool:
        """Tell whether a flag of the field is set."""
        return bool(self.number("/Ff") & flag)

    @property
    def options(self) -> list[tuple[str, str]]:
        """Return export values and shown texts of a choice or of buttons, in their order."""
        options = self.entry("/Opt")
        if not isinstance(options, pikepdf.Array):
            return []
        pairs = []
        for option in options:
            parts = [*option] if isinstance(option, pikepdf.Array) else [option, option]
            pairs.append((str(parts[0]), str(parts[-1])) if parts else ("", ""))
        return pairs

    @property
    def values(self) -> list[str]:
        """Return the value as texts: several for a choice of several, none where it is empty."""
        value = self.entry("/V")
        if value is None:
            return []
        if isinstance(value, pikepdf.Array):
            return [str(each) for each in value]
        if isinstance(value, pikepdf.Stream):
            return [str(pikepdf.String(value.read_bytes()))]
        return [str(value)]


def document_form(document: pikepdf.Pdf) -> pikepdf.Object | None:
    """Return the form of a document, or None."""
    form = document.Root.get("/AcroForm")
    return form if isinstance(form, pikepdf.Dictionary) else None


def form_fields(form: pikepdf.Object) -> dict[str, FormField]:
    """Return the fields of a form by their full names; a field in its own kids counts once."""
    fields: dict[str, FormField] = {}
    for each in _terminal_fields(form):
        known = fields.get(each.name)
        if known is None:
            fields[each.name] = each
        else:
            known.twins.append(each.dictionary)
            known.widgets += each.widgets
    return fields


def _terminal_fields(form: pikepdf.Object) -> Iterator[FormField]:
    seen: set[tuple[int, int]] = set()
    waiting: list[tuple[pikepdf.Object, tuple[pikepdf.Object, ...], str]] = [
        (each, (), "") for each in reversed(_dictionaries(form.get("/Fields")))
    ]
    while waiting:
        node, above, prefix = waiting.pop()
        if (node.is_indirect and node.objgen in seen) or len(above) > _MAX_DEPTH:
            continue
        seen.add(node.objgen)
        partial = str(node.get("/T", ""))
        name = f"{prefix}.{partial}" if prefix and partial else prefix or partial
        kids = _dictionaries(node.get("/Kids"))
        below = [kid for kid in kids if "/T" in kid or "/Kids" in kid]
        lineage = (node, *above)
        waiting += [(kid, lineage, name) for kid in reversed(below)]
        widgets = [kid for kid in kids if "/T" not in kid and "/Kids" not in kid]
        if not kids:
            widgets = [node] if node.get("/Subtype") == "/Widget" else []
        if widgets or not below:
            yield FormField(name, lineage, form, widgets)


def _dictionaries(entry: pikepdf.Object | None) -> list[pikepdf.Object]:
    if not isinstance(entry, pikepdf.Array):
        return []
    return [each for each in entry if isinstance(each, pikepdf.Dictionary)]


def button_states(widget: pikepdf.Object) -> list[str]:
    """Return the names of the on-states of a button's widget, by its appearances."""
    normal = widget.get("/AP", pikepdf.Dictionary()).get("/N")
    if not isinstance(normal, pikepdf.Dictionary):
        return []
    return [str(name) for name in normal if name != OFF]
