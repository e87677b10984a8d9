"""Artifacts (ISO 32000-1, 14.8.2.2): marks painted content without a tag as decoration.

The browser leaves decoration untagged: backgrounds, borders, headers and footers, and elements with
`aria-hidden`. browser/output/accessibility.py reports other content that it leaves untagged. The
browser tags the content of pages and of the form XObjects on them; where it draws a form twice,
once as its shadow, both drawings have the same tags.
"""

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from chalicelib.engine.pdf.tagging.untagged_content import ResolveXObject, mark_untagged_as_artifact

if TYPE_CHECKING:
    import pikepdf

type _ObjGen = tuple[int, int]
# A dictionary of a PDF, or an empty one for an absent entry.
type PdfDictionary = pikepdf.Object | dict[str, pikepdf.Object]

_TAG_BEGIN: Final = re.compile(rb"/\w+\s*<<\s*/MCID\s+\d+\s*>>\s*BDC")
_ARTIFACT: Final = b"/Artifact BMC"
# Entries that a copy gets anew or must not have.
_KEYS_NOT_COPIED: Final = frozenset(
    ["/Length", "/Filter", "/DecodeParms", "/StructParents", "/Resources"]
)


def mark_artifacts(document: "pikepdf.Pdf") -> None:
    """Mark all untagged content on the pages and in the forms that they draw."""
    forms = _FormXObjects(document)
    for page in document.pages:
        content = b"\n".join(part.read_bytes() for part in _content_streams(page))
        resources: PdfDictionary = page.get("/Resources", {})
        forms.mark_in_resources(resources)
        marked = mark_untagged_as_artifact(content, forms.xobject_resolver(resources))
        if marked != content:
            page.Contents = document.make_stream(marked)


def _content_streams(page: "pikepdf.Page") -> "list[pikepdf.Object]":
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    contents = page.get("/Contents", ())
    return [contents] if isinstance(contents, pikepdf.Stream) else list(contents)


class _FormXObjects:
    """Form XObjects of a document: those that contain tags, and those already drawn."""

    def __init__(self, document: "pikepdf.Pdf") -> None:
        self._document = document
        self._has_tags: dict[_ObjGen, bool] = {}
        self._drawn_ids: set[_ObjGen] = set()

    def mark_in_resources(self, resources: PdfDictionary) -> None:
        """Mark the untagged content of the named forms; inner forms come first."""
        for form in form_xobjects(resources, self._has_tags):
            inner: PdfDictionary = form.get("/Resources", {})
            content = form.read_bytes()
            self._has_tags[form.objgen] = b"/MCID" in content or any(
                self._has_tags[each.objgen] for each in _direct_forms(inner)
            )
            if self._has_tags[form.objgen]:
                form.write(mark_untagged_as_artifact(content, self.xobject_resolver(inner)))

    def xobject_resolver(self, resources: PdfDictionary) -> ResolveXObject:
        """Return the resolver for XObjects that are drawn outside of tags.

        The first drawing of a tagged form stays as it is. A later one is its shadow: it uses an
        untagged copy, so that the content is not tagged twice.
        """
        objects: PdfDictionary = resources.get("/XObject", {})

        def resolve(name: bytes) -> bytes | None:
            xobject = objects.get("/" + name.decode("latin-1"))
            if xobject is None or not self._has_tags.get(xobject.objgen):
                return name
            if xobject.objgen not in self._drawn_ids:
                self._drawn_ids.add(xobject.objgen)
                return None
            return self._add_untagged_copy(objects, name)

        return resolve

    def _add_untagged_copy(self, objects: PdfDictionary, name: bytes) -> bytes:
        """Add a copy of the form without tags to `objects`; return its name."""
        copy_name = name + b"Artifact"
        key = "/" + copy_name.decode("latin-1")
        if key not in objects:
            objects[key] = self._untagged_copy(objects["/" + name.decode("latin-1")])
        return copy_name

    def _untagged_copy(self, form: "pikepdf.Object") -> "pikepdf.Object":
        import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

        copies: dict[_ObjGen, pikepdf.Object] = {}
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


def _resources_with_copies(
    resources: PdfDictionary, copies: "dict[_ObjGen, pikepdf.Object]"
) -> PdfDictionary:
    """Return the resources with each form replaced by its copy."""
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    if "/XObject" not in resources:
        return resources
    objects = pikepdf.Dictionary(
        {name: copies.get(each.objgen, each) for name, each in resources["/XObject"].items()}
    )
    return pikepdf.Dictionary({**dict(resources.items()), "/XObject": objects})


def _direct_forms(resources: PdfDictionary) -> "Iterator[pikepdf.Object]":
    for xobject in resources.get("/XObject", {}).values():
        if xobject.get("/Subtype") == "/Form":
            yield xobject


def form_xobjects(
    resources: PdfDictionary, known: Iterable[_ObjGen] = ()
) -> "Iterator[pikepdf.Object]":
    """Yield each form that is not `known` once, after the forms that it draws.

    Iterates instead of recursing: forms may be nested to any depth.
    """
    seen = set(known)
    pending = [(form, False) for form in _direct_forms(resources)]
    while pending:
        form, is_expanded = pending.pop()
        if is_expanded:
            yield form
        elif form.objgen not in seen:
            seen.add(form.objgen)
            pending.append((form, True))
            pending += [(each, False) for each in _direct_forms(form.get("/Resources", {}))]
