"""Structure tree of joined documents: one parent tree; ids, types and classes kept apart."""

from collections.abc import Iterator, Mapping, Sequence

from pikepdf import Array, Dictionary, Name, Object, Pdf, Stream, String

from chalicelib.engine.pdf.merging.joined_names import distinct_keys, name_tree
from chalicelib.engine.pdf.merging.parcel import CopiedSet, CopySet
from chalicelib.engine.pdf.trees.name_trees import dictionaries, tree_entries
from chalicelib.engine.pdf.trees.parent_tree import parent_entries
from chalicelib.engine.pdf.trees.structure import dictionary_kids, elements_below


class JoinedStructure:
    """Elements of the first level, and the tables of all elements."""

    def __init__(self, document: Pdf) -> None:
        """Begin with those of the first document."""
        self._document = document
        root = document.Root.get("/StructTreeRoot")
        self._is_tagged = isinstance(root, Dictionary)
        self._root = root if isinstance(root, Dictionary) else Dictionary(Type=Name.StructTreeRoot)
        self._elements = dictionary_kids(self._root)
        self._parents = parent_entries(self._root.get("/ParentTree"))
        self._next_key = max(self._parents, default=-1) + 1
        self._ids = dict(_ids(self._root))
        self._lang = str(document.Root.get("/Lang", ""))
        self._has_more = False

    def pack(self, source: Pdf, pages: Sequence[Object], copy_set: CopySet) -> None:
        """Renumber and rename the copied elements, and put them in."""
        root = source.Root.get("/StructTreeRoot")
        if not isinstance(root, Dictionary):
            self._is_tagged = False
            _renumber_struct_parents(pages, {})
            return
        entries = parent_entries(root.get("/ParentTree"))
        numbers = {key: self._next_key + rank for rank, key in enumerate(sorted(entries))}
        self._next_key += len(numbers)
        _renumber_struct_parents(pages, numbers)
        self._rename(root, copy_set.place)
        elements = dictionary_kids(root)
        lang = str(source.Root.get("/Lang", ""))
        for element in elements:
            if lang != self._lang and "/Lang" not in element:
                element.Lang = String(lang)
        copy_set.put("Elements", elements)
        copy_set.put("ParentKeys", numbers.values())
        copy_set.put("Parents", [entries[key] for key in numbers])
        ids = dict(_ids(root))
        copy_set.put("Ids", [String(key) for key in ids])
        copy_set.put("Identified", ids.values())
        for name in ("RoleMap", "ClassMap"):
            copy_set.put(name, [each for each in [root.get(f"/{name}")] if each is not None])
        copy_set.put("Namespaces", dictionaries(root.get("/Namespaces")))
        # The elements lead to the root, which leads to the content of the set once more.
        for key in list(root.keys()):
            del root[key]

    def unpack(self, copied: CopiedSet) -> None:
        """Add the copies."""
        elements = copied.objects("Elements")
        if not elements:
            return
        self._has_more = True
        self._elements += elements
        keys = [int(key) for key in copied.objects("ParentKeys")]
        self._parents.update(zip(keys, copied.objects("Parents"), strict=True))
        ids = [bytes(key) for key in copied.objects("Ids")]
        self._ids.update(zip(ids, copied.objects("Identified"), strict=True))
        for name in ("RoleMap", "ClassMap"):
            for added in copied.objects(name):
                if isinstance(added, Dictionary):
                    own = _dictionary(self._root, f"/{name}")
                    for key, value in added.as_dict().items():
                        if key not in own:
                            own[key] = value
        namespaces = copied.objects("Namespaces")
        if namespaces:
            own_namespaces = dictionaries(self._root.get("/Namespaces"))
            self._root.Namespaces = Array([*own_namespaces, *namespaces])

    def write(self) -> None:
        """Write the tree; a document is tagged when all that it consists of are."""
        root = self._document.Root
        if self._has_more:
            if not self._root.is_indirect:
                self._root = self._document.make_indirect(self._root)
            root.StructTreeRoot = self._root
            for element in self._elements:
                element.P = self._root
            self._root.K = Array(self._elements)
            parts: list[Object | int] = []
            for key in sorted(self._parents):
                parts += [key, self._parents[key]]
            self._root.ParentTree = Dictionary(Nums=Array(parts))
            self._root.ParentTreeNextKey = self._next_key
            if self._ids:
                self._root.IDTree = name_tree(self._ids)
        if self._has_more or "/MarkInfo" in root:
            _dictionary(root, "/MarkInfo").Marked = self._is_tagged

    def _rename(self, root: Object, place: int) -> None:
        ids = distinct_keys(dict(_ids(root)), self._ids.keys(), place, _add_number)
        roles = _conflicts(root, self._root, "/RoleMap", place)
        classes = _conflicts(root, self._root, "/ClassMap", place)
        if not (ids or roles or classes):
            return
        for element in elements_below(root):
            for key, names in (("/S", roles), ("/C", classes)):
                if key in element and names:
                    element[key] = _rename_value(element[key], names)
            if isinstance(element.get("/ID"), String):
                element.ID = _rename_value(element.ID, ids)
            attributes = element.get("/A")
            listed = attributes.as_list() if isinstance(attributes, Array) else [attributes]
            for each in listed:
                if isinstance(each, Dictionary) and isinstance(each.get("/Headers"), Array):
                    each.Headers = _rename_value(each.Headers, ids)
        # The tree of ids is made anew from what it named.
        root.IDTree = name_tree(
            {ids.get(key, key): element for key, element in dict(_ids(root)).items()}
        )


def _conflicts(root: Object, own_root: Object, key: str, place: int) -> dict[bytes, bytes]:
    """Rename entries of a map that the joined map has otherwise; return the new names."""
    entries, own = root.get(key), own_root.get(key)
    if not isinstance(entries, Dictionary) or not isinstance(own, Dictionary):
        return {}
    taken = {name.encode() for name in own.keys()}  # noqa: SIM118 -- no mapping
    different = [
        name.encode()
        for name, value in entries.as_dict().items()
        if name in own and own[name].unparse(resolved=True) != value.unparse(resolved=True)
    ]
    new_names = distinct_keys(different, taken, place, _add_number)
    for old, new in new_names.items():
        entries[new.decode()] = entries[old.decode()]
        del entries[old.decode()]
    return new_names


def _rename_value(value: Object, names: Mapping[bytes, bytes]) -> Object:
    if isinstance(value, Name):
        name = str(value).encode()
        return Name(names.get(name, name).decode())
    if isinstance(value, String):
        return String(names.get(bytes(value), bytes(value)))
    if isinstance(value, Array):
        return Array([_rename_value(each, names) for each in value.as_list()])
    return value


def _add_number(name: bytes, number: int) -> bytes:
    return name + b"-%d" % number


def _ids(root: Object) -> Iterator[tuple[bytes, Object]]:
    for key, value in tree_entries(root.get("/IDTree"), "/Names"):
        if isinstance(key, String) and isinstance(value, Dictionary):
            yield bytes(key), value


def _dictionary(owner: Object, key: str) -> Object:
    if not isinstance(owner.get(key), Dictionary):
        owner[key] = Dictionary()
    return owner[key]


def _renumber_struct_parents(pages: Sequence[Object], numbers: Mapping[int, int]) -> None:
    """Give everything on the pages its new key; objects without an entry lose theirs."""
    visited = set[tuple[int, int]]()
    for page in pages:
        _renumber(page, numbers)
        for annotation in dictionaries(page.get("/Annots")):
            if annotation.objgen not in visited:
                _renumber(annotation, numbers)
            if annotation.is_indirect:
                visited.add(annotation.objgen)
        owners = [page]
        while owners:
            for drawing in _drawings(owners.pop()):
                if drawing.objgen not in visited:
                    visited.add(drawing.objgen)
                    _renumber(drawing, numbers)
                    owners.append(drawing)


def _drawings(owner: Object) -> list[Object]:
    """Return the pictures and forms among the resources of a page or a form."""
    resources = owner.get("/Resources")
    drawings = resources.get("/XObject") if isinstance(resources, Dictionary) else None
    if not isinstance(drawings, Dictionary):
        return []
    return [each for each in drawings.as_dict().values() if isinstance(each, Stream)]


def _renumber(owner: Object, numbers: Mapping[int, int]) -> None:
    for name in ("/StructParent", "/StructParents"):
        key: object = owner.get(name)
        if key is None:
            continue
        if isinstance(key, int) and key in numbers:
            owner[name] = numbers[key]
        else:
            del owner[name]
