"""Resources that some content uses: pages, appearances, forms, patterns and glyphs of Type 3.

Readers look for a name in the resources of a form first, then in those of its page. So a name that
a form lacks counts as used in the resources of all pages that are read. Each content is read once
for each dictionary of resources that it is drawn with.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import Final, NamedTuple

from pikepdf import Array, Dictionary, Name, Object, Pdf, Stream, String

from chalicelib.engine.pdf.pages.content_names import ContentNames, Names, content_names
from chalicelib.engine.pdf.trees.name_trees import dictionaries
from chalicelib.engine.pdf.trees.parent_tree import ObjectId

_CATEGORIES: Final = (
    *("/Font", "/XObject", "/Pattern", "/ExtGState", "/ColorSpace", "/Shading", "/Properties"),
)
# Used without a name (ISO 32000-1, 8.6.5.6).
_DEFAULTS: Final = frozenset({"DefaultGray", "DefaultRGB", "DefaultCMYK"})
_RESOURCES: Final = "/Resources"
_MAX_LOOKUPS: Final = 16


class Resources:
    """Dictionary of resources as it was read."""

    def __init__(self, key: ObjectId, original: Object) -> None:
        """Read the names."""
        self.key = key
        self.procedures: Object | None = original.get("/ProcSet")
        self.categories = {
            category: entries
            for category in _CATEGORIES
            if isinstance(entries := original.get(category), Dictionary)
        }
        self.names = {name: set(entries.keys()) for name, entries in self.categories.items()}

    def entries(self, names: Names | None) -> Iterator[tuple[str, str]]:
        """Yield category and key of the entries that content with these names uses."""
        for category, keys in self.names.items():
            if names is None:
                found: Iterable[str] = keys
            else:
                wanted = names.drawn if category == "/XObject" else names.all
                found = _matching(keys, wanted)
                if category == "/ColorSpace":
                    found = [*found, *_matching(keys, _DEFAULTS)]
            # In a fixed order, so that equal sources give equal bytes.
            for key in sorted(found):
                yield category, key

    def lacks(self, names: Names) -> Iterator[str]:
        """Yield the names that no category has; those of XObjects are drawn."""
        pictures = self.names.get("/XObject", set())
        others = [keys for category, keys in self.names.items() if category != "/XObject"]
        for name in names.all:
            key = f"/{name}"
            known = [pictures] if name in names.drawn else others
            if not any(key in keys for keys in known):
                yield name


class DocumentResources:
    """Resources of a document as they were read, by their owners; each is read once."""

    def __init__(self) -> None:
        """Begin without resources."""
        self._owned: dict[ObjectId, Resources | None] = {}
        self._read: dict[ObjectId, Resources] = {}

    def of_owner(self, owner: Object, key: str = _RESOURCES) -> Resources | None:
        """Return the resources of a page, form, pattern, font or form of fields; None without."""
        if owner.objgen not in self._owned:
            original = owner.get(key)
            self._owned[owner.objgen] = (
                self._of_dictionary(original, owner) if isinstance(original, Dictionary) else None
            )
        return self._owned[owner.objgen]

    def _of_dictionary(self, original: Object, owner: Object) -> Resources:
        key = original.objgen if original.is_indirect else owner.objgen
        if key not in self._read:
            self._read[key] = Resources(key, original)
        return self._read[key]


class _Visit(NamedTuple):
    content: Object
    resources: Resources
    is_own: bool
    """The resources are those of the content itself, not of its surroundings."""


class ResourceUse:
    """Use of resources by the added content; `write` leaves the owners only the used entries."""

    def __init__(self, document: Pdf, contents: ContentNames, resources: DocumentResources) -> None:
        """Begin without use."""
        self._document, self._contents, self._all = document, contents, resources
        self._owners: dict[ObjectId, tuple[Object, str, Resources]] = {}
        self._used: dict[ObjectId, defaultdict[str, set[str]]] = {}
        self._waiting: list[_Visit] = []
        self._visited = set[tuple[ObjectId, ObjectId]]()
        self._shared: dict[ObjectId, Resources] = {}
        self._lacked, self._lacking = set[str](), list[str]()
        self._borrowers = set[ObjectId]()
        self._places: defaultdict[str, list[tuple[Resources, str]]] | None = None

    def add_page(self, page: Object) -> None:
        """Add the content of a page, and the appearances of its annotations."""
        resources = self._own(page) or Resources(page.objgen, Dictionary())
        self._shared[resources.key] = resources
        for content in _contents_of(page):
            self._visit(content, resources)
        for annotation in dictionaries(page.get("/Annots")):
            self._add_annotation(annotation, resources)

    def add_form(self, form: Object, owners: Iterable[Object]) -> None:
        """Add the resources of a form: appearances of owners of text, and the fonts they name."""
        resources = self._own(form, "/DR") or Resources(form.objgen, Dictionary())
        self._shared[resources.key] = resources
        fonts = set[str]()
        for owner in owners:
            text = owner.get("/DA")
            if isinstance(text, String):
                fonts |= content_names(bytes(text)).all
            self._add_annotation(owner, resources)
        for key in _matching(resources.names.get("/Font", set()), fonts):
            self._use(resources, "/Font", key)

    def write(self) -> None:
        """Give all owners the entries of their resources that are used."""
        while self._waiting or self._lacking:
            if self._waiting:
                self._read(self._waiting.pop())
            else:
                self._borrow(self._lacking.pop())
        written: dict[ObjectId, Object] = {}
        for owner, key, resources in self._owners.values():
            if resources.key not in written:
                written[resources.key] = self._used_entries(resources)
            owner[key] = written[resources.key]

    def _own(self, owner: Object, key: str = _RESOURCES) -> Resources | None:
        resources = self._all.of_owner(owner, key)
        if resources is not None:
            self._owners[owner.objgen] = owner, key, resources
        return resources

    def _add_annotation(self, annotation: Object, resources: Resources) -> None:
        for holder_key, keys in (("/AP", ("/N", "/R", "/D")), ("/MK", ("/I", "/RI", "/IX"))):
            holder = annotation.get(holder_key)
            if not isinstance(holder, Dictionary):
                continue
            for key in keys:
                shown = holder.get(key)
                if isinstance(shown, Stream):
                    self._enqueue(shown, resources)
                elif isinstance(shown, Dictionary) and self._is_new(shown, resources):
                    for stream in shown.as_dict().values():
                        self._enqueue(stream, resources)

    def _is_new(self, content: Object, resources: Resources) -> bool:
        """Tell whether content is seen with these resources for the first time."""
        if not content.is_indirect:
            return True
        visit = content.objgen, resources.key
        is_new = visit not in self._visited
        self._visited.add(visit)
        return is_new

    def _visit(self, content: Object, resources: Resources, *, is_own: bool = False) -> None:
        if self._is_new(content, resources):
            self._waiting.append(_Visit(content, resources, is_own))

    def _enqueue(self, content: object, around: Resources) -> None:
        """Add a form, pattern or font that is used within content of these resources."""
        if isinstance(content, Stream | Dictionary):
            own = self._own(content)
            self._visit(content, own or around, is_own=own is not None)

    def _read(self, visit: _Visit) -> None:
        content, resources, is_own = visit
        names = self._contents.of(content)
        for category, key in resources.entries(names):
            self._use(resources, category, key)
        if names is None or resources.key in self._shared:
            return
        if is_own:
            self._lack(resources.lacks(names))
        elif content.objgen not in self._borrowers:
            self._borrowers.add(content.objgen)
            self._lack(names.all)

    def _lack(self, names: Iterable[str]) -> None:
        for name in sorted(names):
            if name not in self._lacked:
                self._lacked.add(name)
                self._lacking.append(name)

    def _borrow(self, name: str) -> None:
        """Use the entries of a name in the resources of pages and of the form."""
        if len(self._shared) > _MAX_LOOKUPS:
            self._places = self._places or self._read_places()
            found = self._places.get(name, [])
        else:
            found = [
                (resources, category)
                for resources in self._shared.values()
                for category, keys in resources.names.items()
                if f"/{name}" in keys
            ]
        for resources, category in found:
            self._use(resources, category, f"/{name}")

    def _read_places(self) -> defaultdict[str, list[tuple[Resources, str]]]:
        """Return where shared resources have each name."""
        places = defaultdict[str, list[tuple[Resources, str]]](list)
        for resources in self._shared.values():
            for category, keys in resources.names.items():
                for key in keys:
                    places[key[1:]].append((resources, category))
        return places

    def _use(self, resources: Resources, category: str, key: str) -> None:
        """Count an entry as used, and add the content it leads to."""
        used = self._used.setdefault(resources.key, defaultdict(set))[category]
        if key in used:
            return
        used.add(key)
        entries = resources.categories[category]
        value: object = entries[key]
        if category == "/Font":
            self._add_font(entries, key, resources)
        elif isinstance(value, Stream):
            if value.get("/Subtype") == Name.Form or "/PatternType" in value:
                self._enqueue(value, resources)
        elif isinstance(value, Dictionary):
            # A graphics state may have a soft mask and a font.
            mask, font = value.get("/SMask"), value.get("/Font")
            if isinstance(mask, Dictionary) and isinstance(mask.get("/G"), Stream):
                self._enqueue(mask.G, resources)
            if isinstance(font, Array) and len(font):
                self._add_font(font, 0, resources)

    def _add_font(self, holder: Object, key: str | int, around: Resources) -> None:
        """Add the glyphs of a font of Type 3, which are content."""
        font: object = holder[key]
        if isinstance(font, Dictionary) and font.get("/Subtype") == Name.Type3:
            if not font.is_indirect:
                holder[key] = font = self._document.make_indirect(font)
            self._enqueue(font, around)

    def _used_entries(self, resources: Resources) -> Object:
        reduced = Dictionary()
        for category, keys in self._used.get(resources.key, {}).items():
            entries = resources.categories[category]
            reduced[category] = Dictionary({key: entries[key] for key in sorted(keys)})
        if resources.procedures is not None:
            reduced.ProcSet = resources.procedures
        return self._document.make_indirect(reduced)


def _matching(keys: Collection[str], names: Collection[str]) -> list[str]:
    """Return the keys, which begin with a slash, that these names have."""
    if len(keys) < len(names):
        return [key for key in keys if key[1:] in names]
    return [key for name in names if (key := f"/{name}") in keys]


def _contents_of(page: Object) -> Iterator[Object]:
    """Yield the content of a page: streams, or an array that pages may share."""
    contents = page.get("/Contents")
    if isinstance(contents, Stream) or (isinstance(contents, Array) and contents.is_indirect):
        yield contents
    elif isinstance(contents, Array):
        yield from (each for each in contents.as_list() if isinstance(each, Stream))
