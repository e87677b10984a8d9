"""End of a merged PDF: the objects that join its items, in trees of few levels, and the catalog."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import batched
from typing import Final

from pikepdf import String

from chalicelib.engine.pdf.appending.merge_state import (
    CATALOG,
    INFO,
    OUTLINE_ROOT,
    PAGES_PER_LEAF,
    PARENT_LEAF,
    STRUCTURE_ROOT,
    MergeState,
    unpack_name_leaves,
    unpack_numbers,
)
from chalicelib.engine.pdf.appending.object_writer import PlainObject, StreamObject

_KIDS_PER_NODE: Final = 64
_DATE: Final = b"(D:20000101000000+00'00')"
_INFO: Final = b"<< /CreationDate %b /ModDate %b /Producer (Platen)%%b >>" % (_DATE, _DATE)
# XMP packet (ISO 16684-1). It claims neither PDF/A nor PDF/UA: the items may differ in that.
_XMP: Final = (
    '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>\n'
    '<x:xmpmeta xmlns:x="adobe:ns:meta/">'
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\n'
    '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" '
    'xmlns:pdf="http://ns.adobe.com/pdf/1.3/" xmlns:xmp="http://ns.adobe.com/xap/1.0/">'
    "<dc:format>application/pdf</dc:format>%s<pdf:Producer>Platen</pdf:Producer>"
    "<xmp:CreateDate>2000-01-01T00:00:00Z</xmp:CreateDate>"
    "<xmp:ModifyDate>2000-01-01T00:00:00Z</xmp:ModifyDate>"
    '</rdf:Description>\n</rdf:RDF></x:xmpmeta>\n<?xpacket end="w"?>'
)
_TEST_INFO: Final = b" /Keywords (TEST)"
_TEST_XMP: Final = "<pdf:Keywords>TEST</pdf:Keywords>"

# Lowest and highest key as text, and number of a node of a name or number tree.
type _Leaf = tuple[bytes, bytes, int]


def closing_objects(
    state: MergeState, *, test: bool
) -> tuple[Sequence[PlainObject], Sequence[StreamObject]]:
    """Return the objects that are written last."""
    ending = _Ending(state)
    return ending.objects(test=test)


class _Ending:
    """Objects at the end, while they are made."""

    def __init__(self, state: MergeState) -> None:
        self._state = state
        self._plain: list[PlainObject] = []

    def objects(self, *, test: bool) -> tuple[Sequence[PlainObject], Sequence[StreamObject]]:
        state = self._state
        xmp = (_XMP % (_TEST_XMP if test else "")).encode()
        metadata = StreamObject(
            state.take_number(),
            b"<< /Type /Metadata /Subtype /XML /Length %d >>" % len(xmp),
            xmp,
        )
        self._plain += [
            PlainObject(INFO, _INFO % (_TEST_INFO if test else b"")),
            PlainObject(state.last_entry, state.entry + b" >>"),
            PlainObject(OUTLINE_ROOT, self._outline()),
            PlainObject(STRUCTURE_ROOT, self._structure()),
            PlainObject(CATALOG, self._catalog(metadata.number)),
        ]
        return self._plain, [metadata]

    def _add(self, text: bytes) -> int:
        number = self._state.take_number()
        self._plain.append(PlainObject(number, text))
        return number

    def _catalog(self, metadata: int) -> bytes:
        state = self._state
        is_structured = bool(state.documents)
        parts = [
            b"<< /Type /Catalog /Pages %d 0 R" % self._page_tree(),
            b"/Outlines %d 0 R /PageMode /UseOutlines" % OUTLINE_ROOT,
            b"/Metadata %d 0 R" % metadata,
            b"/Version /%b" % state.version.encode(),
        ]
        if state.lang:
            parts.append(b"/Lang " + String(state.lang).unparse())
        if is_structured:
            is_marked = b"true" if state.is_tagged else b"false"
            parts.append(b"/StructTreeRoot %d 0 R" % STRUCTURE_ROOT)
            parts.append(b"/MarkInfo << /Marked %b >>" % is_marked)
        names = [self._name_tree(tree) for tree in ("Dests", "EmbeddedFiles")]
        parts.append(b"/Names << %b >>" % b"".join(names))
        if state.fields:
            form = b"/AcroForm << /Fields %b /DR << /Font %b >> >>"
            fonts = _reference_dictionary(state.fonts)
            parts.append(form % (_references(unpack_numbers(state.fields)), fonts))
        if state.layers:
            layers = _references(unpack_numbers(state.layers))
            hidden = _references(unpack_numbers(state.hidden_layers))
            properties = b"/OCProperties << /OCGs %b /D << /Order %b /OFF %b >> >>"
            parts.append(properties % (layers, layers, hidden))
        return b" ".join(parts) + b" >>"

    def _page_tree(self) -> int:
        """Write the nodes of the page tree; return the number of its root."""
        pages, state = unpack_numbers(self._state.pages), self._state
        level = [
            (number, list(kids), len(kids))
            for number, kids in zip(
                unpack_numbers(state.page_leaves),
                batched(pages, PAGES_PER_LEAF, strict=False),
                strict=True,
            )
        ]
        node = b"<< /Type /Pages /Count %d /Kids %b%b >>"
        while len(level) > 1:
            parents = []
            for nodes in batched(level, _KIDS_PER_NODE, strict=False):
                parent = state.take_number()
                for number, kids, count in nodes:
                    text = node % (count, _references(kids), b" /Parent %d 0 R" % parent)
                    self._plain.append(PlainObject(number, text))
                kid_numbers = [number for number, _, _ in nodes]
                parents.append((parent, kid_numbers, sum(count for _, _, count in nodes)))
            level = parents
        ((number, kids, count),) = level
        self._plain.append(PlainObject(number, node % (count, _references(kids), b"")))
        return number

    def _outline(self) -> bytes:
        state = self._state
        return b"<< /Type /Outlines /First %d 0 R /Last %d 0 R /Count %d >>" % (
            *(state.first_entry, state.last_entry, state.entry_count),
        )

    def _structure(self) -> bytes:
        state = self._state
        if not state.documents:
            return b"null"
        leaves = [
            (b"%d" % low, b"%d" % high, number)
            for number, low, high in PARENT_LEAF.iter_unpack(state.parent_leaves)
        ]
        parts = [
            b"<< /Type /StructTreeRoot /K %b" % _references(unpack_numbers(state.documents)),
            b"/ParentTree %d 0 R" % self._limits_tree(leaves),
            b"/ParentTreeNextKey %d" % state.next_struct_parent,
            self._name_tree("IDTree"),
        ]
        if state.roles:
            roles = b" ".join(b"%b %b" % role for role in sorted(state.roles.items()))
            parts.append(b"/RoleMap << %b >>" % roles)
        if state.classes:
            parts.append(b"/ClassMap " + _reference_dictionary(state.classes))
        if state.namespaces:
            parts.append(b"/Namespaces " + _references(state.namespaces))
        return b" ".join(parts) + b" >>"

    def _name_tree(self, tree: str) -> bytes:
        """Return the entry of a name tree; nothing if it has no names."""
        leaves = sorted(unpack_name_leaves(self._state.names.get(tree, bytearray())))
        if not leaves:
            return b""
        texts = [
            (String(low).unparse(), String(high).unparse(), number) for low, high, number in leaves
        ]
        return b"/%b %d 0 R " % (tree.encode(), self._limits_tree(texts))

    def _limits_tree(self, leaves: Sequence[_Leaf]) -> int:
        """Write the nodes above the leaves; return the number of the root."""
        level = leaves
        while len(level) > _KIDS_PER_NODE:
            level = [
                (nodes[0][0], nodes[-1][1], self._add(_limits_node(nodes)))
                for nodes in batched(level, _KIDS_PER_NODE, strict=False)
            ]
        return self._add(b"<< /Kids %b >>" % _references(number for _, _, number in level))


def _limits_node(kids: Sequence[_Leaf]) -> bytes:
    numbers = _references(number for _, _, number in kids)
    return b"<< /Limits [ %b %b ] /Kids %b >>" % (kids[0][0], kids[-1][1], numbers)


def _references(numbers: Iterable[int]) -> bytes:
    return b"[ %b ]" % b" ".join(b"%d 0 R" % number for number in numbers)


def _reference_dictionary(numbers: Mapping[str, int]) -> bytes:
    entries = (b"/%b %d 0 R" % (name.encode(), numbers[name]) for name in sorted(numbers))
    return b"<< %b >>" % b" ".join(entries)
