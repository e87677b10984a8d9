"""Equal objects of a document made one: fonts and pictures that came with each merged file."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Final

import pikepdf

from chalicelib.engine.pdf.document.walk_objects import references

# Nothing tells two equal dictionaries of these types apart.
_SHARED_TYPES: Final = ("/Font", "/FontDescriptor", "/ExtGState", "/Encoding")
# Streams with a place in the structure tree are not the same, however equal they look.
_OWN_PLACE_KEYS: Final = ("/StructParent", "/StructParents")
# Fonts refer to descriptors, which refer to font files: each round finds the next ones.
_MAX_ROUNDS: Final = 5

type _ObjectId = tuple[int, int]


def share_equal_objects(document: pikepdf.Pdf) -> None:
    """Let all references to equal objects name the first one; the others are not written."""
    digests: dict[_ObjectId, bytes] = {}
    for _ in range(_MAX_ROUNDS):
        first: dict[tuple[bytes, bytes], pikepdf.Object] = {}
        replaced: dict[_ObjectId, pikepdf.Object] = {}
        for each in document.objects:
            key = _content_key(each, digests)
            if key is not None and first.setdefault(key, each).objgen != each.objgen:
                replaced[each.objgen] = first[key]
        if not replaced or not _replace_references(document, replaced):
            return


def _content_key(
    each: pikepdf.Object, digests: dict[_ObjectId, bytes]
) -> tuple[bytes, bytes] | None:
    """Return the common key of equal objects; None for an object that is not shared."""
    if isinstance(each, pikepdf.Stream):
        if any(key in each for key in _OWN_PLACE_KEYS):
            return None
        if each.objgen not in digests:
            digests[each.objgen] = hashlib.sha256(each.read_raw_bytes()).digest()
        return each.stream_dict.unparse(), digests[each.objgen]
    if isinstance(each, pikepdf.Dictionary) and each.get("/Type") in _SHARED_TYPES:
        return each.unparse(resolved=True), b""
    return None


def _replace_references(
    document: pikepdf.Pdf, replaced: Mapping[_ObjectId, pikepdf.Object]
) -> bool:
    """Replace references to objects; tell whether there were any."""
    found = False
    for each in _containers(document):
        holders = [each]
        while holders:
            holder = holders.pop()
            for key, value in references(holder):
                if not value.is_indirect:
                    holders.append(value)
                elif value.objgen in replaced:
                    holder[key] = replaced[value.objgen]
                    found = True
    return found


def _containers(document: pikepdf.Pdf) -> Iterator[pikepdf.Object]:
    yield document.trailer
    for each in document.objects:
        if isinstance(each, pikepdf.Array | pikepdf.Dictionary | pikepdf.Stream):
            yield each
