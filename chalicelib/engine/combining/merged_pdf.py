"""Merged PDF, written item by item; the whole of it is never held.

An item's objects are written with it, in object streams; `finish` writes those that join the items.
"""

from typing import Final

import msgspec
import pikepdf
from pikepdf import String

from chalicelib.core.text import replace_lone_surrogates
from chalicelib.engine.combining.failure import (
    MAX_MERGED_BYTES,
    MAX_MERGED_PAGES,
    CombineFailure,
    check_size,
)
from chalicelib.engine.pdf.appending.finish_merge import closing_objects
from chalicelib.engine.pdf.appending.item_objects import ItemObjects, Renumbering
from chalicelib.engine.pdf.appending.merge_state import (
    OUTLINE_ROOT,
    PAGES_PER_LEAF,
    PARENT_LEAF,
    STRUCTURE_ROOT,
    MergeState,
    pack_name_leaf,
    pack_numbers,
    unpack_numbers,
)
from chalicelib.engine.pdf.appending.object_writer import PlainObject, write_objects, write_trailer
from chalicelib.engine.pdf.appending.prepare_item import (
    ENTRIES_PER_LEAF,
    ItemPlace,
    PreparedItem,
    prepare_item,
)

# pikepdf raises all of these where an object has another type than its place asks.
_DAMAGES: Final = (
    *(pikepdf.PdfError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError),
)


def append(state: MergeState, content: bytes, title: str, index: int) -> bytes:
    """Return the bytes of one more item, and note them in the state. Indexes ascend.

    Raises CombineFailure: `render_failed` for a document that is not sound, `output_too_large`.
    """
    assert index > state.last_index, (index, state.last_index)
    prepared = _prepare(state, content, index)
    _check_pages(state, prepared, index)
    item = ItemObjects(prepared.saved)
    first_key = state.next_struct_parent
    _merge_elements(state, item, prepared, index)
    entry, closed_entry = _begin_entry(state)
    numbers = Renumbering(item, state, _joints(state, item, entry))
    _note_pages(state, prepared, numbers)
    _note_parent_leaves(state, prepared, numbers, first_key)
    _note_structure(state, prepared, numbers, index)
    _note_form_and_layers(state, prepared, numbers)
    state.entry = _outline_entry(prepared, numbers, title, state.last_entry)
    state.last_entry, state.entry_count = entry, state.entry_count + 1
    state.last_index = index
    written = write_objects(state, [*closed_entry, *numbers.plain], numbers.streams)
    check_size(state.size, MAX_MERGED_BYTES)
    return written


def finish(state: MergeState, *, test: bool) -> bytes:
    """Return the end of the file: page tree, outline, structure tree, names, cross-references.

    The metadata of files of a test key say so. Raises CombineFailure `output_too_large`.
    """
    assert state.pages, "nothing was merged"
    # A copy, so that the file can be finished once more.
    state = msgspec.msgpack.decode(msgspec.msgpack.encode(state), type=MergeState)
    end = write_objects(state, *closing_objects(state, test=test))
    trailer = write_trailer(state)
    check_size(state.size + len(trailer), MAX_MERGED_BYTES)
    return end + trailer


def _prepare(state: MergeState, content: bytes, index: int) -> PreparedItem:
    place = ItemPlace(
        index, state.page_count, state.next_struct_parent, state.lang, frozenset(state.field_names)
    )
    try:
        return prepare_item(content, place)
    # pikepdf raises all of these where an object has another type than its place asks.
    except _DAMAGES as error:
        message = f"The PDF of item {index} is damaged."
        raise CombineFailure("render_failed", message) from error


def _check_pages(state: MergeState, prepared: PreparedItem, index: int) -> None:
    if not prepared.page_count:
        raise CombineFailure("render_failed", f"The PDF of item {index} has no pages.")
    if state.page_count + prepared.page_count > MAX_MERGED_PAGES:
        message = f"The merged PDF would have more than {MAX_MERGED_PAGES} pages."
        raise CombineFailure("output_too_large", message)


def _merge_elements(
    state: MergeState, item: ItemObjects, prepared: PreparedItem, index: int
) -> None:
    """Merge the names of the structure elements: keys of the parent tree, types, classes, ids."""
    first = state.next_struct_parent
    keys = {key: first + rank for rank, key in enumerate(prepared.struct_parents)}
    state.next_struct_parent = item.renumber_struct_parents(keys, first)
    renamed = {}
    for role, final in prepared.roles.items():
        name = role
        # A type that an earlier item has mapped to another one is renamed.
        while state.roles.setdefault(name, final) != final:
            name += b"-" + final[1:]
        if name != role:
            renamed[role] = name
    item.edit_elements(index, renamed, has_classes="Classes" in item.dictionaries)


def _begin_entry(state: MergeState) -> tuple[int, list[PlainObject]]:
    """Return the number of the item's entry of the outline, and the entry before, now whole."""
    entry = state.take_number()
    if not state.last_entry:
        state.first_entry = entry
        return entry, []
    return entry, [PlainObject(state.last_entry, state.entry + b" /Next %d 0 R >>" % entry)]


def _joints(state: MergeState, item: ItemObjects, entry: int) -> dict[int, int]:
    """Return the numbers of objects that the item shares with the others."""
    joints = dict.fromkeys(item.lists.get("Structure", ()), STRUCTURE_ROOT)
    joints |= dict.fromkeys(item.lists.get("Outline", ()), entry)
    leaves = item.lists["Leaves"]
    numbers = []
    if state.page_count % PAGES_PER_LEAF:
        numbers.append(unpack_numbers(state.page_leaves)[-1])
    while len(numbers) < len(leaves):
        numbers.append(state.take_number())
        state.page_leaves += pack_numbers(numbers[-1:])
    return joints | dict(zip(leaves, numbers, strict=True))


def _note_pages(state: MergeState, prepared: PreparedItem, numbers: Renumbering) -> None:
    state.pages += pack_numbers(numbers.of("Pages"))
    state.version = max(state.version, prepared.version)
    for tree, limits in prepared.limits.items():
        leaves = state.names.setdefault(tree, bytearray())
        for number, (low, high) in zip(numbers.of(tree), limits, strict=True):
            leaves += pack_name_leaf(number, low, high)


def _note_parent_leaves(
    state: MergeState, prepared: PreparedItem, numbers: Renumbering, first_key: int
) -> None:
    last_key = first_key + len(prepared.struct_parents) - 1
    for place, number in enumerate(numbers.of("ParentLeaves")):
        low = first_key + place * ENTRIES_PER_LEAF
        high = min(low + ENTRIES_PER_LEAF - 1, last_key)
        state.parent_leaves += PARENT_LEAF.pack(number, low, high)


def _note_structure(
    state: MergeState, prepared: PreparedItem, numbers: Renumbering, index: int
) -> None:
    if not state.last_entry:
        state.lang = prepared.lang
    state.is_tagged = state.is_tagged and prepared.is_tagged
    state.documents += pack_numbers(numbers.of("Document"))
    for name, number in numbers.of_dictionary("Classes").items():
        state.classes[f"{index}-{name}"] = number
    known = set(state.namespaces)
    state.namespaces += [each for each in numbers.of("Namespaces") if each not in known]


def _note_form_and_layers(state: MergeState, prepared: PreparedItem, numbers: Renumbering) -> None:
    state.fields += pack_numbers(numbers.of("Fields"))
    state.field_names += prepared.field_names
    for name, number in numbers.of_dictionary("Fonts").items():
        state.fonts.setdefault(name, number)
    state.layers += pack_numbers(numbers.of("Layers"))
    state.hidden_layers += pack_numbers(numbers.of("HiddenLayers"))


def _outline_entry(prepared: PreparedItem, numbers: Renumbering, title: str, before: int) -> bytes:
    """Return the item's entry of the outline, without its end: the next one is not known yet."""
    text = String(replace_lone_surrogates(title)).unparse()
    parts = [
        b"<< /Title %b /Parent %d 0 R" % (text, OUTLINE_ROOT),
        b"/Dest [ %d 0 R /Fit ]" % numbers.of("Pages")[0],
    ]
    if before:
        parts.append(b"/Prev %d 0 R" % before)
    if ends := numbers.of("OutlineEnds"):
        # A negative count: the entry is closed.
        below = b"/First %d 0 R /Last %d 0 R /Count -%d"
        parts.append(below % (*ends, prepared.outline_count))
    return b" ".join(parts)
