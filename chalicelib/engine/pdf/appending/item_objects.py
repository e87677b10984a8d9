"""Objects of an item as text that qpdf has normalised: read, renumbered, and shared where equal.

qpdf writes dictionaries with sorted keys and single blanks, one object a line: only names and
strings have escapes. So each rewriting is a regular expression over all objects at once; to visit
them one by one takes several times as long.
"""

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Final

from chalicelib.engine.pdf.appending.merge_state import CATALOG, MergeState
from chalicelib.engine.pdf.appending.object_writer import PlainObject, StreamObject
from chalicelib.engine.pdf.text.cross_reference_table import cross_reference_table

_STREAM: Final = b"\nstream\n"
_END: Final = b"\nendobj\n"
_STREAM_END: Final = b"endstream\nendobj\n"
_TEXT_STRING: Final = rb"\((?:[^\\()]|\\.)*+\)"
_ANY_STRING: Final = rb"(?:" + _TEXT_STRING + rb"|<[0-9a-f]*>)"
_STRING: Final = re.compile(_TEXT_STRING)
_REFERENCE: Final = re.compile(rb"(?<![0-9])([0-9]++) 0 R\b")
_STRUCT_PARENT: Final = re.compile(rb"(/StructParents? )([0-9]+)\b")
_MANIFEST_LIST: Final = re.compile(rb"/(\w+) \[ ([0-9R ]+)\]")
_MANIFEST_DICTIONARY: Final = re.compile(rb"/(\w+) << (/[^<>]+)>>")
_NAMED_REFERENCE: Final = re.compile(rb"/(\S+) ([0-9]+) 0 R")
_STRUCTURE_ELEMENT: Final = re.compile(rb"/P [0-9]+ 0 R .*/S /")
# Parts of a structure element that name other things of its document.
_ELEMENT_NAMES: Final = re.compile(
    rb"/ID (?P<id>%b)|/Headers \[ (?P<headers>(?:%b )*)\]|/S (?P<role>/[^\s/]+)"
    rb"|/C (?P<classes>/[^\s/]+|\[ [^][]*\])|%b" % (_ANY_STRING, _ANY_STRING, _TEXT_STRING)
)
# Objects that are of one document or page, and never shared.
_PRIVATE: Final = re.compile(
    rb"/Type /(?:Annot|Catalog|MCR|OBJR|OCG|OCMD|Pages?|StructElem)\b"
    rb"|/(?:OC|Parent|Pg|StructParents?) "
)
_SHARED_ROOT: Final = re.compile(rb"/Type /(?:Font|Namespace)\b")
_MAX_DEPTH: Final = 40
_DIGEST_BYTES: Final = 16


class ItemObjects:
    """Objects of a document that qpdf has saved without object streams, by their numbers.

    Object 1 is the manifest: lists and dictionaries of references by purpose.
    """

    def __init__(self, saved: bytes) -> None:
        """Read the objects through the cross-reference table."""
        table = cross_reference_table(saved)
        self.texts = [b""]
        self.streams: dict[int, bytes] = {}
        ends = [*table.places[1:], table.begin]
        for begin, end in zip(table.places, ends, strict=True):
            body_at = saved.index(b"\n", begin) + 1
            stream_at = saved.find(_STREAM, body_at, end)
            if stream_at < 0:
                self.texts.append(saved[body_at : end - len(_END)])
                continue
            content = saved[stream_at + len(_STREAM) : end - len(_STREAM_END)]
            self.streams[len(self.texts)] = content
            self.texts.append(saved[body_at:stream_at])
        # Strings lose their blanks and slashes, so that nothing in them looks like a token.
        self.texts = _STRING.sub(_escape_string, b"\n".join(self.texts)).split(b"\n")
        manifest = self.texts[1]
        self.lists = {
            name.decode(): [int(number) for number in _REFERENCE.findall(references)]
            for name, references in _MANIFEST_LIST.findall(manifest)
        }
        self.dictionaries = {
            name.decode(): {
                key.decode(): int(number) for key, number in _NAMED_REFERENCE.findall(entries)
            }
            for name, entries in _MANIFEST_DICTIONARY.findall(manifest)
        }

    def renumber_struct_parents(self, numbers: dict[int, int], next_number: int) -> int:
        """Renumber the keys of the parent tree, unknown ones as well; return the next free key."""

        def new_key(match: re.Match[bytes]) -> bytes:
            number = numbers.setdefault(int(match[2]), next_number + len(numbers))
            return b"%b%d" % (match[1], number)

        self.texts = _STRUCT_PARENT.sub(new_key, b"\n".join(self.texts)).split(b"\n")
        return next_number + len(numbers)

    def edit_elements(self, index: int, roles: Mapping[bytes, bytes], *, has_classes: bool) -> None:
        """Make the ids, classes and renamed types of the structure elements those of the item."""
        prefix = b"%d-" % index

        def edit(match: re.Match[bytes]) -> bytes:
            name, value = match.lastgroup, match[0]
            match name:
                case "id" | "headers":
                    key, _, rest = value.partition(b" ")
                    return key + b" " + _ANY_STRING_TOKEN.sub(_string_prefixer(prefix), rest)
                case "role":
                    return b"/S " + roles.get(match["role"], match["role"])
                case "classes" if has_classes:
                    return b"/C " + re.sub(rb"/(?=\S)", b"/" + prefix, match["classes"])
                case _:
                    return value

        for number, text in enumerate(self.texts):
            is_edited = roles or has_classes or b"/ID " in text or b"/Headers " in text
            if is_edited and _STRUCTURE_ELEMENT.search(text):
                self.texts[number] = _ELEMENT_NAMES.sub(edit, text)


_ANY_STRING_TOKEN: Final = re.compile(_ANY_STRING)


def _string_prefixer(prefix: bytes) -> Callable[[re.Match[bytes]], bytes]:
    hexadecimal = prefix.hex().encode()

    def add_prefix(match: re.Match[bytes]) -> bytes:
        string = match[0]
        return string[:1] + (prefix if string[:1] == b"(" else hexadecimal) + string[1:]

    return add_prefix


def _escape_string(match: re.Match[bytes]) -> bytes:
    string = match[0]
    if b" 0 R" not in string and b"/" not in string:
        return string
    return string.replace(b" ", b"\\040").replace(b"/", b"\\057")


class Renumbering:
    """Objects of an item with their numbers in the merged file, ready to be written.

    `numbers` begins with the objects of the item that others stand in for. Equal streams and fonts
    are those of the items before.
    """

    def __init__(self, item: ItemObjects, state: MergeState, numbers: dict[int, int]) -> None:
        """Give every object its number."""
        self._item, self._state = item, state
        self.plain: list[PlainObject] = []
        self.streams: list[StreamObject] = []
        self.numbers = numbers
        # The manifest stands where the catalog was.
        numbers[1] = CATALOG
        self._shared: dict[int, int | None] = dict.fromkeys(numbers)
        for local, text in enumerate(item.texts):
            if local in item.streams or _SHARED_ROOT.search(text):
                self._share(local)
        numbers.update((local, number) for local, number in self._shared.items() if number)
        rest = [local for local in range(1, len(item.texts)) if local not in numbers]
        numbers.update((local, state.take_number()) for local in rest)
        texts = self._renumber(b"\n".join(item.texts[local] for local in rest)).split(b"\n")
        for local, text in zip(rest, texts, strict=bool(rest)):
            self._write(local, text)

    def of(self, name: str) -> list[int]:
        """Return the numbers of a list of the manifest."""
        return [self.numbers[local] for local in self._item.lists.get(name, ())]

    def of_dictionary(self, name: str) -> dict[str, int]:
        """Return the numbers of a dictionary of the manifest, by key."""
        entries = self._item.dictionaries.get(name, {})
        return {key: self.numbers[local] for key, local in entries.items()}

    def _share(self, local: int, depth: int = 0) -> int | None:
        """Return the number of an object that items can share, or None if it is of one item."""
        if local in self._shared:
            return self._shared[local]
        # While its own references are visited, and for ever if one leads back to it.
        self._shared[local] = None
        text = self._item.texts[local]
        if depth > _MAX_DEPTH or _PRIVATE.search(text):
            return None
        for reference in dict.fromkeys(_REFERENCE.findall(text)):
            number = self._share(int(reference), depth + 1)
            if number is None:
                return None
            self.numbers[int(reference)] = number
        text = self._renumber(text)
        content = text + b"\n" + self._item.streams.get(local, b"")
        digest = hashlib.sha256(content).digest()[:_DIGEST_BYTES]
        number = self._state.shared.get(digest)
        if number is None:
            number = self._state.shared[digest] = self._state.take_number()
            self.numbers[local] = number
            self._write(local, text)
        self._shared[local] = number
        return number

    def _renumber(self, text: bytes) -> bytes:
        # Every other part is the number of an object.
        parts = _REFERENCE.split(text)
        parts[1::2] = [b"%d 0 R" % self.numbers[int(number)] for number in parts[1::2]]
        return b"".join(parts)

    def _write(self, local: int, text: bytes) -> None:
        content = self._item.streams.get(local)
        if content is None:
            self.plain.append(PlainObject(self.numbers[local], text))
        else:
            self.streams.append(StreamObject(self.numbers[local], text, content))
