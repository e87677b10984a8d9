"""Removal of parts that PDF/A forbids and readers can do without (ISO 19005-2 and -3).

Names of clauses are those of ISO 19005-2; part 3 has the same ones.
"""

from collections.abc import Callable, Mapping
from typing import Final

import pikepdf

from chalicelib.engine.pdf.document.walk_objects import walk_dictionaries

# Actions that change nothing but the view, or ask a server (6.5.1); URI and Thread among them.
_ALLOWED_ACTIONS: Final = frozenset(
    {"/GoTo", "/GoToR", "/GoToE", "/Thread", "/URI", "/Named", "/SubmitForm"}
)
_ALLOWED_NAMED_ACTIONS: Final = frozenset({"/NextPage", "/PrevPage", "/FirstPage", "/LastPage"})
_ACTION_TYPES: Final = _ALLOWED_ACTIONS | {
    *("/Launch", "/Sound", "/Movie", "/ResetForm", "/ImportData", "/Hide", "/SetOCGState"),
    *("/Rendition", "/Trans", "/GoTo3DView", "/JavaScript", "/RichMediaExecute", "/GoToDp"),
    *("/SetState", "/NOP"),
}
_RENDERING_INTENTS: Final = frozenset(
    {"/RelativeColorimetric", "/AbsoluteColorimetric", "/Perceptual", "/Saturation"}
)
# 6.1.12, 6.5.2, 6.10, 6.11, and what is not described in ISO 32000-1.
_CATALOG_KEYS: Final = ("/AA", "/Perms", "/Requirements", "/NeedsRendering", "/DSS", "/JT")
_NAME_TREES: Final = ("/JavaScript", "/AlternatePresentations", "/Renditions")
# 6.2.8, 6.2.9: other pictures, OPI, pictures of other files, PostScript.
_XOBJECT_KEYS: Final = ("/Alternates", "/OPI", "/Ref", "/PS", "/Subtype2")
# 6.2.5: transfer functions and halftones.
_STATE_KEYS: Final = ("/TR", "/TR2", "/HTP", "/HT")
# 6.2.11.4.2: lists of glyphs, which must be complete where they are.
_DESCRIPTOR_KEYS: Final = ("/CharSet", "/CIDSet")


def remove_parts(document: pikepdf.Pdf) -> None:
    """Remove actions, scripts, other versions of pictures and the like."""
    root = document.Root
    _delete(root, _CATALOG_KEYS)
    names = root.get("/Names")
    if isinstance(names, pikepdf.Dictionary):
        _delete(names, _NAME_TREES)
    for holder in walk_dictionaries(document):
        _remove_actions(holder)
        if holder.get("/Type") != "/Catalog":
            _delete_metadata(holder)
        kind = str(holder.get("/Type", holder.get("/Subtype")))
        clean = _CLEANERS.get(kind) or _CLEANERS.get(str(holder.get("/Subtype")))
        if clean is not None:
            clean(holder)
        elif "/TR" in holder or "/TR2" in holder:
            _delete(holder, _STATE_KEYS)


def _delete(holder: pikepdf.Object, keys: tuple[str, ...]) -> None:
    for key in keys:
        if key in holder:
            del holder[key]


def _delete_metadata(holder: pikepdf.Object) -> None:
    """Metadata of parts use schemas of their own, which 6.6.2.3 wants described."""
    if isinstance(holder.get("/Metadata"), pikepdf.Stream):
        del holder["/Metadata"]


def _remove_actions(holder: pikepdf.Object) -> None:
    """Remove actions that 6.5.1 forbids, and all that an event starts (6.4.1, 6.5.2)."""
    if isinstance(holder.get("/AA"), pikepdf.Dictionary):
        del holder["/AA"]
    for key in ("/A", "/OpenAction"):
        action = holder.get(key)
        if isinstance(action, pikepdf.Dictionary) and (
            _is_forbidden(action) or holder.get("/Subtype") == "/Widget"
        ):
            del holder[key]
    if "/S" not in holder or "/Next" not in holder:
        return
    following = holder["/Next"]
    actions = list(following) if isinstance(following, pikepdf.Array) else [following]
    if any(isinstance(each, pikepdf.Dictionary) and _is_forbidden(each) for each in actions):
        del holder["/Next"]


def _is_forbidden(action: pikepdf.Object) -> bool:
    kind = str(action.get("/S"))
    if kind == "/Named":
        return str(action.get("/N")) not in _ALLOWED_NAMED_ACTIONS
    # Other entries of the name A are attributes of the structure tree.
    return kind in _ACTION_TYPES and kind not in _ALLOWED_ACTIONS


def _clean_image(image: pikepdf.Object) -> None:
    _delete(image, _XOBJECT_KEYS)
    if "/Interpolate" in image:
        del image["/Interpolate"]
    if "/Intent" in image and str(image["/Intent"]) not in _RENDERING_INTENTS:
        del image["/Intent"]


def _clean_form(form: pikepdf.Object) -> None:
    _delete(form, _XOBJECT_KEYS)


def _clean_state(state: pikepdf.Object) -> None:
    _delete(state, _STATE_KEYS)
    if "/RI" in state and str(state["/RI"]) not in _RENDERING_INTENTS:
        del state["/RI"]


def _clean_descriptor(descriptor: pikepdf.Object) -> None:
    _delete(descriptor, _DESCRIPTOR_KEYS)


def _clean_page(page: pikepdf.Object) -> None:
    _delete(page, ("/PresSteps", "/AA"))


def _clean_cid_font(font: pikepdf.Object) -> None:
    """Write the value that is the default elsewhere (6.2.11.3.2)."""
    if "/CIDToGIDMap" not in font:
        font.CIDToGIDMap = pikepdf.Name.Identity


_CLEANERS: Final[Mapping[str, Callable[[pikepdf.Object], None]]] = {
    "/Image": _clean_image,
    "/Form": _clean_form,
    "/ExtGState": _clean_state,
    "/FontDescriptor": _clean_descriptor,
    "/Page": _clean_page,
    "/CIDFontType2": _clean_cid_font,
}


def complete_optional_content(document: pikepdf.Pdf) -> None:
    """Give each configuration of layers a name and the whole order, and no automation (6.9)."""
    properties = document.Root.get("/OCProperties")
    if not isinstance(properties, pikepdf.Dictionary):
        return
    groups = list(properties.get("/OCGs", ()))
    for number, configuration in enumerate(
        [properties.get("/D"), *properties.get("/Configs", ())], 1
    ):
        if not isinstance(configuration, pikepdf.Dictionary):
            continue
        if not str(configuration.get("/Name", "")):
            configuration.Name = f"Layers {number}"
        _delete(configuration, ("/AS",))
        order = configuration.get("/Order")
        if isinstance(order, pikepdf.Array):
            listed = _group_ids(order)
            for group in groups:
                if group.objgen not in listed:
                    order.append(group)


def _group_ids(order: pikepdf.Array) -> set[tuple[int, int]]:
    listed, arrays = set(), [order]
    seen: set[tuple[int, int]] = set()
    while arrays:
        for each in arrays.pop():
            if isinstance(each, pikepdf.Array):
                if not each.is_indirect or each.objgen not in seen:
                    seen.add(each.objgen)
                    arrays.append(each)
            elif isinstance(each, pikepdf.Object):
                listed.add(each.objgen)
    return listed
