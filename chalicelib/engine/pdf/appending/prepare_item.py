"""Preparation of an item with pikepdf: the objects for the merged file, and a manifest of them."""

import io
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import batched, groupby
from typing import Final

import pikepdf
from pikepdf import Array, Dictionary, Name, Object, String

from chalicelib.engine.pdf.appending.item_destinations import ItemDestinations
from chalicelib.engine.pdf.appending.item_form import FormFields
from chalicelib.engine.pdf.appending.merge_state import PAGES_PER_LEAF
from chalicelib.engine.pdf.trees.name_trees import (
    dictionaries,
    named_tree,
    string_entries,
    tree_entries,
)
from chalicelib.engine.pdf.trees.page_tree import inherit_attributes
from chalicelib.engine.pdf.trees.parent_tree import parent_entries
from chalicelib.engine.pdf.trees.structure import dictionary_kids

# Readers show a page without a size as Letter.
_DEFAULT_MEDIA_BOX: Final = (0, 0, 612, 792)
ENTRIES_PER_LEAF: Final = 64
_UTF16_MARK: Final = b"\xfe\xff"


@dataclass(frozen=True, slots=True)
class ItemPlace:
    """Place of an item in the merged file, and names that earlier items have used."""

    index: int
    pages_before: int
    first_struct_parent: int
    lang: str | None
    field_names: frozenset[str]


@dataclass(slots=True)
class PreparedItem:
    """Item as qpdf saved it, and values that its manifest lacks (item_objects.py)."""

    version: str
    lang: str | None
    saved: bytes = b""
    page_count: int = 0
    is_tagged: bool = False
    outline_count: int = 0
    """Entries of the first level, which are to be seen once the item's entry is open."""
    roles: dict[bytes, bytes] = field(default_factory=dict)
    struct_parents: list[int] = field(default_factory=list)
    """Keys of the parent tree, in order."""
    limits: dict[str, list[tuple[bytes, bytes]]] = field(default_factory=dict)
    """Lowest and highest name of the leaves, by name tree."""
    field_names: list[str] = field(default_factory=list)


def prepare_item(content: bytes, place: ItemPlace) -> PreparedItem:
    """Return the item, cut down to its merged part. The first object of its PDF is the manifest.

    Raises ValueError, TypeError or PdfError for a document that is not sound.
    """
    # qpdf reads objects from a memory-mapped file a third faster than from bytes.
    with os.fdopen(os.memfd_create("item"), "w+b") as file:
        file.write(content)
        file.seek(0)
        with pikepdf.open(file, access_mode=pikepdf.AccessMode.mmap_only) as document:
            return _Preparation(document, place).prepare()


class _Preparation:
    """One document while it is prepared."""

    def __init__(self, document: pikepdf.Pdf, place: ItemPlace) -> None:
        self._document, self._place, self._root = document, place, document.Root
        self._prefix = b"%d-" % place.index
        self._destinations = ItemDestinations(document.Root, self._prefix)
        self._manifest: dict[str, Array | Dictionary] = {}
        lang = self._root.get("/Lang")
        self.item = PreparedItem(
            document.pdf_version, str(lang) if isinstance(lang, String) else None
        )

    def prepare(self) -> PreparedItem:
        pages = [page.obj for page in self._document.pages]
        self.item.page_count = len(pages)
        self._prepare_pages(pages)
        self._prepare_structure()
        self._prepare_outline()
        self._prepare_names(pages)
        self._prepare_form()
        self._prepare_layers()
        for key in list(self._root.keys()):
            del self._root[key]
        for name, value in self._manifest.items():
            self._root[f"/{name}"] = value
        if "/Info" in self._document.trailer:
            del self._document.trailer.Info
        saved = io.BytesIO()
        self._document.save(
            saved,
            static_id=True,
            fix_metadata_version=False,
            object_stream_mode=pikepdf.ObjectStreamMode.disable,
            stream_decode_level=pikepdf.StreamDecodeLevel.none,
        )
        self.item.saved = saved.getvalue()
        return self.item

    def _list(self, name: str, objects: Iterable[Object]) -> None:
        references = [self._reference(each) for each in objects]
        if references:
            self._manifest[name] = Array(references)

    def _dictionary(self, name: str, objects: object) -> None:
        if isinstance(objects, Dictionary) and len(objects):
            entries = objects.as_dict().items()
            self._manifest[name] = Dictionary({key: self._reference(each) for key, each in entries})

    def _reference(self, value: Object) -> Object:
        return value if value.is_indirect else self._document.make_indirect(value)

    def _prepare_pages(self, pages: Sequence[Object]) -> None:
        for page in pages:
            inherit_attributes(self._document, page)
            page.Type = Name.Page
            if "/MediaBox" not in page:
                page.MediaBox = Array(_DEFAULT_MEDIA_BOX)
            if "/Resources" not in page:
                page.Resources = Dictionary()
            # Beads of article threads, which are not merged.
            if "/B" in page:
                del page.B
        leaves: dict[int, Object] = {}
        for place, page in enumerate(pages, start=self._place.pages_before):
            leaf = place // PAGES_PER_LEAF
            if leaf not in leaves:
                leaves[leaf] = self._document.make_indirect(Dictionary())
            page.Parent = leaves[leaf]
        self._list("Pages", pages)
        self._list("Leaves", leaves.values())
        files = self._root.get("/AF")
        if isinstance(files, Array) and pages:
            pages[0].AF = files

    def _prepare_structure(self) -> None:
        root = self._root.get("/StructTreeRoot")
        if not isinstance(root, Dictionary):
            return
        elements = dictionary_kids(root)
        if not elements:
            return
        self.item.is_tagged = True
        self.item.roles = _final_roles(root.get("/RoleMap"))
        self._prepare_parent_tree(root.get("/ParentTree"))
        identifiers = {
            self._prefix + key: value for key, value in string_entries(root.get("/IDTree")).items()
        }
        self._add_name_leaves("IDTree", identifiers)
        self._dictionary("Classes", root.get("/ClassMap"))
        namespaces = root.get("/Namespaces")
        self._list("Namespaces", dictionaries(namespaces))
        for key in list(root.keys()):
            del root[key]
        self._list("Structure", [root])
        self._list("Document", [self._document_element(elements, self._root.StructTreeRoot)])

    def _document_element(self, elements: Sequence[Object], root: Object) -> Object:
        """Return the one element of the first level: the item's Document, or a new one."""
        element = elements[0]
        if len(elements) > 1 or element.get("/S") != Name.Document:
            element = self._document.make_indirect(
                Dictionary(Type=Name.StructElem, S=Name.Document, K=Array(elements))
            )
            for each in elements:
                each.P = element
        element.P = root
        is_first = not self._place.pages_before
        if "/Lang" not in element and not is_first and self.item.lang != self._place.lang:
            element.Lang = String(self.item.lang or "")
        return element

    def _prepare_parent_tree(self, tree: object) -> None:
        entries = parent_entries(tree)
        first = self._place.first_struct_parent
        self.item.struct_parents = sorted(entries)
        numbered = [(first + rank, entries[key]) for rank, key in enumerate(sorted(entries))]
        self._list(
            "ParentLeaves",
            [
                Dictionary(
                    Limits=Array([leaf[0][0], leaf[-1][0]]),
                    Nums=Array([part for entry in leaf for part in entry]),
                )
                for leaf in batched(numbered, ENTRIES_PER_LEAF, strict=False)
            ],
        )

    def _prepare_outline(self) -> None:
        root = self._root.get("/Outlines")
        if not isinstance(root, Dictionary):
            return
        first_level = self._destinations.rename_in_outline(root)
        if not first_level:
            return
        self.item.outline_count = len(first_level)
        for key in list(root.keys()):
            del root[key]
        self._list("Outline", [root])
        self._list("OutlineEnds", [first_level[0], first_level[-1]])
        for item in first_level:
            item.Parent = root

    def _prepare_names(self, pages: Sequence[Object]) -> None:
        self._add_name_leaves("Dests", self._destinations.entries)
        files = {}
        for key, value in tree_entries(named_tree(self._root, "/EmbeddedFiles"), "/Names"):
            if isinstance(key, String) and isinstance(value, Dictionary):
                name = String(f"{self._place.index}-{key}")
                value.F = value.UF = name
                files[bytes(name)] = value
        self._add_name_leaves("EmbeddedFiles", files)
        for page in pages:
            self._destinations.rename_in_page(page)

    def _add_name_leaves(self, tree: str, entries: Mapping[bytes, Object]) -> None:
        """Add the leaves of a name tree. Each is in one encoding, so that no two items overlap."""
        leaves = [
            leaf
            for _, names in groupby(sorted(entries), lambda name: name.startswith(_UTF16_MARK))
            for leaf in batched(names, ENTRIES_PER_LEAF, strict=False)
        ]
        self.item.limits[tree] = [(leaf[0], leaf[-1]) for leaf in leaves]
        self._list(
            tree,
            [
                Dictionary(
                    Limits=Array([String(leaf[0]), String(leaf[-1])]),
                    Names=Array([part for name in leaf for part in (String(name), entries[name])]),
                )
                for leaf in leaves
            ],
        )

    def _prepare_form(self) -> None:
        form = self._root.get("/AcroForm")
        if not isinstance(form, Dictionary):
            return
        place = self._place
        fields = FormFields(self._document, form, f"item{place.index}", place.field_names)
        self.item.field_names = fields.new_names
        self._list("Fields", fields.fields)
        resources = form.get("/DR")
        if isinstance(resources, Dictionary):
            self._dictionary("Fonts", resources.get("/Font"))

    def _prepare_layers(self) -> None:
        properties = self._root.get("/OCProperties")
        if not isinstance(properties, Dictionary):
            return
        defaults = properties.get("/D")
        for name, layers in (
            ("Layers", properties.get("/OCGs")),
            ("HiddenLayers", defaults.get("/OFF") if isinstance(defaults, Dictionary) else None),
        ):
            self._list(name, dictionaries(layers))


def _final_roles(role_map: object) -> dict[bytes, bytes]:
    """Return the standard type of each type of structure elements, as names of a PDF."""
    if not isinstance(role_map, Dictionary):
        return {}
    roles = {key: str(role) for key, role in role_map.as_dict().items() if isinstance(role, Name)}
    result = {}
    for key, role in roles.items():
        final = role
        for _ in range(len(roles)):
            if final not in roles:
                break
            final = roles[final]
        result[Name(key).unparse()] = Name(final).unparse()
    return result
