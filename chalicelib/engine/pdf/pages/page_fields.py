"""Fields of a form, and those of them that belong to some pages."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from pikepdf import Array, Dictionary, Object, Pdf

from chalicelib.engine.pdf.trees.name_trees import dictionaries
from chalicelib.engine.pdf.trees.parent_tree import ObjectId

_NO_PARENT: Final = -1


@dataclass(slots=True)
class _Field:
    item: Object
    parent: int
    kids: list[int] = field(default_factory=list)


class PageFields:
    """Form of a document: fields and widgets are numbers in the order of reading.

    Fields without a widget on a page belong to every part of the document.
    """

    def __init__(self, document: Pdf, widget_pages: Mapping[ObjectId, int]) -> None:
        """Read the fields. Raises ValueError for a loop."""
        self._document = document
        form = document.Root.get("/AcroForm")
        self._form = form if isinstance(form, Dictionary) else None
        self._fields: list[_Field] = []
        self._numbers: dict[ObjectId, int] = {}
        self._fields_of_page = defaultdict[int | None, list[int]](list)
        if self._form is None:
            return
        self._first_level = self._add(self._form.get("/Fields"), _NO_PARENT)
        # Kids are appended while their parents are read.
        for number, each in enumerate(self._fields):
            each.kids = self._add(each.item.get("/Kids"), number)
            if not each.kids:
                self._fields_of_page[widget_pages.get(each.item.objgen)].append(number)
        self._order = dictionaries(self._form.get("/CO"))

    @property
    def ids(self) -> Collection[ObjectId]:
        """Return the ids of all fields and widgets."""
        return self._numbers.keys()

    def write(self, kept: Collection[int]) -> Collection[ObjectId]:
        """Leave the document the fields of these pages, and return their ids."""
        if self._form is None:
            return ()
        chosen = self._chosen_fields(kept)
        for number in chosen:
            each = self._fields[number]
            if each.kids:
                each.item.Kids = self._array(each.kids, chosen)
        if not chosen:
            if "/AcroForm" in self._document.Root:
                del self._document.Root.AcroForm
            return ()
        self._document.Root.AcroForm = self._form
        self._form.Fields = self._array(self._first_level, chosen)
        if self._order:
            self._form.CO = Array(
                [item for item in self._order if self._numbers.get(item.objgen) in chosen]
            )
        return {self._fields[number].item.objgen for number in chosen}

    def _array(self, numbers: list[int], chosen: Collection[int]) -> Array:
        return Array([self._fields[number].item for number in numbers if number in chosen])

    def _chosen_fields(self, kept: Collection[int]) -> set[int]:
        chosen = set[int]()
        for index in (None, *kept):
            for leaf in self._fields_of_page.get(index, ()):
                number = leaf
                while number != _NO_PARENT and number not in chosen:
                    chosen.add(number)
                    number = self._fields[number].parent
        return chosen

    def _add(self, items: object, parent: int) -> list[int]:
        numbers = []
        for item in dictionaries(items):
            each = item if item.is_indirect else self._document.make_indirect(item)
            if each.objgen in self._numbers:
                message = f"object {each.objgen[0]} is twice among the form fields"
                raise ValueError(message)
            self._numbers[each.objgen] = len(self._fields)
            numbers.append(len(self._fields))
            self._fields.append(_Field(each, parent))
        return numbers


def text_owners(form: Object, pages: Iterable[Object]) -> Iterator[Object]:
    """Yield the owners of names of the form's fonts: the form, its fields, annotations of pages."""
    owners, visited = [form, *dictionaries(form.get("/Fields"))], set[ObjectId]()
    owners += [each for page in pages for each in dictionaries(page.get("/Annots"))]
    while owners:
        owner = owners.pop()
        if owner.is_indirect:
            if owner.objgen in visited:
                continue
            visited.add(owner.objgen)
        owners += dictionaries(owner.get("/Kids"))
        yield owner
