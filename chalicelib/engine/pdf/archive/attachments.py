"""Embedded files: those that a part of PDF/A admits stay, and are declared (ISO 19005, 6.8)."""

import io
from typing import Final

import pikepdf

from chalicelib.engine.pdf.document.claims import claimed_profiles, is_pdf
from chalicelib.engine.pdf.document.open_pdf import DAMAGE
from chalicelib.engine.pdf.document.stream_content import lossless_content
from chalicelib.engine.pdf.document.walk_objects import walk_dictionaries

_NAME_KEYS: Final = ("/UF", "/F", "/Unix", "/DOS", "/Mac")
_RELATIONSHIPS: Final = frozenset({"/Source", "/Data", "/Alternative", "/Supplement"})
# Part 2 admits files that conform to part 1 or 2.
_ARCHIVABLE_PARTS: Final = ("1", "2")


def convert_attachments(document: pikepdf.Pdf, part: str) -> list[str]:
    """Declare or remove the embedded files; return the names of the removed ones."""
    removed = []
    for file in [each for each in walk_dictionaries(document) if _is_embedded(each)]:
        if part == "3" or _is_archivable(file):
            _complete(file)
        else:
            removed.append(_name(file))
            del file["/EF"]
    _remove_references(document)
    if part == "3":
        _associate_files(document)
    return sorted(set(removed))


def _is_embedded(holder: pikepdf.Object) -> bool:
    return isinstance(holder.get("/EF"), pikepdf.Dictionary)


def _name(file: pikepdf.Object) -> str:
    return next((str(file[key]) for key in _NAME_KEYS if key in file), "attachment")


def _is_archivable(file: pikepdf.Object) -> bool:
    """Tell whether the file claims to be PDF/A; the validators judge it."""
    content = next(iter(file.EF.values()), None)
    if not isinstance(content, pikepdf.Stream):
        return False
    plain = lossless_content(content) or b""
    if not is_pdf(plain):
        return False
    try:
        with pikepdf.open(io.BytesIO(plain)) as document:
            level, _ = claimed_profiles(document)
    except DAMAGE:
        return False
    return (level or "").startswith(_ARCHIVABLE_PARTS)


def _complete(file: pikepdf.Object) -> None:
    """Give a file specification the entries that part 3 wants."""
    name = _name(file)
    file.Type = pikepdf.Name.Filespec
    for key in ("/F", "/UF"):
        if key not in file:
            file[key] = pikepdf.String(name)
    if str(file.get("/AFRelationship")) not in _RELATIONSHIPS:
        file.AFRelationship = pikepdf.Name.Unspecified
    for content in file.EF.values():
        if isinstance(content, pikepdf.Stream) and "/Subtype" not in content:
            content.Subtype = pikepdf.Name("/application/octet-stream")


def _remove_references(document: pikepdf.Pdf) -> None:
    for name in [*document.attachments]:
        if not _is_embedded(document.attachments[name].obj):
            del document.attachments[name]
    if not document.attachments and "/Collection" in document.Root:
        del document.Root["/Collection"]
    for holder in walk_dictionaries(document):
        associated = holder.get("/AF")
        if isinstance(associated, pikepdf.Array):
            kept = [each for each in associated if _is_embedded(each)]
            if len(kept) < len(associated):
                holder.AF = pikepdf.Array(kept)


def _associate_files(document: pikepdf.Pdf) -> None:
    """List each file in the catalog, as each must belong to something (ISO 19005-3, 6.8)."""
    associated = document.Root.get("/AF")
    listed = list(associated) if isinstance(associated, pikepdf.Array) else []
    known = {each.objgen for each in listed}
    for file in walk_dictionaries(document):
        if _is_embedded(file) and file.is_indirect and file.objgen not in known:
            listed.append(file)
    if listed:
        document.Root.AF = pikepdf.Array(listed)
