"""What is painted and has no tag is decoration: marked as an artifact (ISO 32000-1, 14.8.2.2).

The browser leaves untagged what nobody is to be read: backgrounds, borders, headers and footers,
what is `aria-hidden`. What it loses beside that is told by browser/untagged.py. It tags the
content of pages and of forms on them; where it draws a form twice, once as its shadow, both have
the same tags.
"""

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from chalicelib.engine.finishing.tagging.untagged_content import (
    ResolveXObject,
    mark_untagged_as_artifact,
)

if TYPE_CHECKING:
    import pikepdf

type _ObjGen = tuple[int, int]

_TAG_BEGIN: Final = re.compile(rb"/\w+\s*<<\s*/MCID\s+\d+\s*>>\s*BDC")
_ARTIFACT: Final = b"/Artifact BMC"
# What a copy has of its own.
_KEYS_NOT_COPIED: Final = frozenset(
    ["/Length", "/Filter", "/DecodeParms", "/StructParents", "/Resources"]
)


def mark_artifacts(document: "pikepdf.Pdf") -> None:
    """Mark all that has no tag on the document's pages and in the forms that they draw."""
    forms = _FormXObjects(document)
    for page in document.pages:
        content = b"\n".join(part.read_bytes() for part in _content_streams(page))
        resources: Any = page.get("/Resources", {})
        forms.mark_in_resources(resources)
        marked = mark_untagged_as_artifact(content, forms.xobject_resolver(resources))
        if marked != content:
            page.Contents = document.make_stream(marked)


def _content_streams(page: "pikepdf.Page") -> list[Any]:
    import pikepdf  # noqa: PLC0415 -- as finishing/pdf.py

    contents: Any = page.get("/Contents", [])
    return [contents] if isinstance(contents, pikepdf.Stream) else list(contents)


class _FormXObjects:
    """The forms of a document: which of them hold tags, and which have been drawn."""

    def __init__(self, document: "pikepdf.Pdf") -> None:
        self._document = document
        self._has_tags: dict[_ObjGen, bool] = {}
        self._drawn_ids: set[_ObjGen] = set()

    def mark_in_resources(self, resources: Any) -> None:
        """Mark what has no tag in the forms named here; one in another comes before it."""
        for form in form_xobjects(resources, self._has_tags):
            inner, content = form.get("/Resources", {}), form.read_bytes()
            self._has_tags[form.objgen] = b"/MCID" in content or any(
                self._has_tags[each.objgen] for _, each in _direct_forms(inner)
            )
            if self._has_tags[form.objgen]:
                form.write(mark_untagged_as_artifact(content, self.xobject_resolver(inner)))

    def xobject_resolver(self, resources: Any) -> ResolveXObject:
        """Return how what is named here is drawn where there is no tag around it."""
        objects = resources.get("/XObject", {})

        def drawn(name: bytes) -> bytes | None:
            known = objects.get("/" + name.decode("latin-1"))
            if known is None or not self._has_tags.get(known.objgen):
                return name
            if known.objgen not in self._drawn_ids:
                self._drawn_ids.add(known.objgen)
                return None
            return self._add_untagged_copy(objects, name)

        return drawn

    def _add_untagged_copy(self, objects: Any, name: bytes) -> bytes:
        """Name a form that looks alike and has no tags."""
        copy = name + b"Artifact"
        key = "/" + copy.decode("latin-1")
        if key not in objects:
            objects[key] = self._untagged_copy(objects["/" + name.decode("latin-1")])
        return copy

    def _untagged_copy(self, form: Any) -> Any:
        import pikepdf  # noqa: PLC0415 -- as finishing/pdf.py

        copies: dict[_ObjGen, Any] = {}
        for each in [*form_xobjects(form.get("/Resources", {})), form]:
            if self._has_tags[each.objgen]:
                copy = pikepdf.Stream(self._document, _TAG_BEGIN.sub(_ARTIFACT, each.read_bytes()))
                entries = {
                    name: value for name, value in each.items() if name not in _KEYS_NOT_COPIED
                }
                for name, value in entries.items():
                    copy[name] = value
                copy.Resources = _resources_with_copies(each.get("/Resources", {}), copies)
                copies[each.objgen] = self._document.make_indirect(copy)
        return copies[form.objgen]


def _resources_with_copies(resources: Any, copies: dict[_ObjGen, Any]) -> Any:
    """Return resources in which copies stand for what they are copies of."""
    import pikepdf  # noqa: PLC0415 -- as above

    if "/XObject" not in resources:
        return resources
    objects = pikepdf.Dictionary(
        {name: copies.get(each.objgen, each) for name, each in resources.XObject.items()}
    )
    return pikepdf.Dictionary({**dict(resources.items()), "/XObject": objects})


def _direct_forms(resources: Any) -> Iterator[tuple[str, Any]]:
    for name, drawn in resources.get("/XObject", {}).items():
        if drawn.get("/Subtype") == "/Form":
            yield name, drawn


def form_xobjects(resources: Any, known: Iterable[_ObjGen] = ()) -> Iterator[Any]:
    """Yield each form that is not known once, after those that it draws; however deep they lie."""
    seen = set(known)
    waiting = [(form, False) for _, form in _direct_forms(resources)]
    while waiting:
        form, opened = waiting.pop()
        if opened:
            yield form
        elif form.objgen not in seen:
            seen.add(form.objgen)
            waiting.append((form, True))
            waiting += [(each, False) for _, each in _direct_forms(form.get("/Resources", {}))]
