"""Page destinations of a document: the pages that names, entries, links and actions lead to."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from pikepdf import Array, Dictionary, Name, Object, Pdf, String

from chalicelib.engine.pdf.trees.actions import chained_actions
from chalicelib.engine.pdf.trees.destination_names import name_bytes
from chalicelib.engine.pdf.trees.name_trees import dictionaries, named_tree, string_entries
from chalicelib.engine.pdf.trees.parent_tree import ObjectId


class PageDestinations:
    """All that leads to pages. A page is its index; a dead link leads to None."""

    def __init__(self, document: Pdf, pages: Sequence[Object]) -> None:
        """Read the named destinations."""
        self._document, self._pages = document, pages
        self._indexes = {page.objgen: index for index, page in enumerate(pages)}
        root = document.Root
        self.names = string_entries(named_tree(root, "/Dests"))
        old = root.get("/Dests")
        self.old_names: dict[str, Object] = dict(old.items()) if isinstance(old, Dictionary) else {}
        self._named_pages: dict[bytes | str, int | None] = {
            name: self._page_of_explicit(value)
            for named in (self.names, self.old_names)
            for name, value in named.items()
        }
        self._names_of_page = defaultdict[int | None, list[bytes | str]](list)
        for name, index in self._named_pages.items():
            self._names_of_page[index].append(name)

    def index_of(self, page: object) -> int | None:
        """Return the index of a page object."""
        return self._indexes.get(page.objgen) if isinstance(page, Dictionary) else None

    def index_of_id(self, key: ObjectId) -> int | None:
        """Return the index of the page with the id of an object."""
        return self._indexes.get(key)

    @property
    def pages(self) -> Sequence[Object]:
        """Return the page objects."""
        return self._pages

    def page_of(self, destination: object) -> int | None:
        """Return the page that a destination leads to, be it named or explicit."""
        if isinstance(destination, String):
            return self._named_pages.get(bytes(destination))
        if isinstance(destination, Name):
            name = name_bytes(destination).decode(errors="surrogateescape")
            return self._named_pages.get(f"/{name}")
        return self._page_of_explicit(destination)

    def pages_of_opening(self, opening: object) -> list[int | None]:
        """Return the pages that an action leads to, or the destination in its place."""
        if isinstance(opening, Dictionary) and "/S" in opening:
            return self.pages_of_action(opening)
        return [self.page_of(opening)]

    def pages_of_action(self, action: object) -> list[int | None]:
        """Return the pages that an action and those that follow it lead to.

        Raises ValueError for a chain of actions without an end.
        """
        return [
            self.page_of(each.get("/D"))
            for each in chained_actions(action)
            if each.get("/S") == Name.GoTo
        ]

    def write(self, kept: Collection[int]) -> None:
        """Leave the document the names that lead to these pages."""
        kept_names = [name for index in kept for name in self._names_of_page.get(index, ())]
        strings = sorted(name for name in kept_names if isinstance(name, bytes))
        names = self._document.Root.get("/Names")
        if isinstance(names, Dictionary):
            # A tree of pages that are not shown.
            for key in ("/Pages", "/Templates", "/Dests"):
                if key in names:
                    del names[key]
            if strings:
                parts = [part for name in strings for part in (String(name), self.names[name])]
                names.Dests = Dictionary(Names=Array(parts))
        if self.old_names:
            self._document.Root.Dests = Dictionary(
                {name: self.old_names[name] for name in kept_names if isinstance(name, str)}
            )

    def _page_of_explicit(self, destination: object) -> int | None:
        if isinstance(destination, Dictionary):
            destination = destination.get("/D")
        if not isinstance(destination, Array) or not len(destination):
            return None
        page: object = destination[0]
        if isinstance(page, int):
            return page if 0 <= page < len(self._indexes) else None
        return self.index_of(page)


class Links:
    """Actions and destinations of pages and their annotations that lead to pages."""

    def __init__(self, pages: Sequence[Object], destinations: PageDestinations) -> None:
        """Read the annotations of the pages."""
        self._links = [list(_links_of_page(page, destinations)) for page in pages]

    def write(self, indexes: Sequence[int], kept: Collection[int]) -> None:
        """Leave the pages of these indexes the destinations of kept pages."""
        for index in indexes:
            for owner, key, value, targets in self._links[index]:
                if all(target in kept for target in targets):
                    owner[key] = value
                elif key in owner:
                    del owner[key]


def _links_of_page(
    page: Object, destinations: PageDestinations
) -> Iterator[tuple[Object, str, Object, Sequence[int | None]]]:
    # Beads of article threads lead from page to page.
    if "/B" in page:
        del page.B
    for owner in (page, *dictionaries(page.get("/Annots"))):
        if "/Dest" in owner:
            yield owner, "/Dest", owner["/Dest"], [destinations.page_of(owner["/Dest"])]
        triggers = owner.get("/AA")
        actions = [(owner, "/A")]
        if isinstance(triggers, Dictionary):
            actions += [(triggers, key) for key in triggers.keys()]  # noqa: SIM118 -- no mapping
        for holder, key in actions:
            if key in holder and (targets := destinations.pages_of_action(holder[key])):
                yield holder, key, holder[key], targets
