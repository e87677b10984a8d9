"""What is painted and has no tag is decoration: marked as an artifact (ISO 32000-1, 14.8.2.2).

The browser leaves untagged what nobody is to be read: backgrounds, borders, headers and footers,
what is `aria-hidden`. What it loses beside that is told by browser/untagged.py. It tags the
content of pages and of forms on them; where it draws a form twice, once as its shadow, both have
the same tags.
"""

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from chalicelib.engine.finishing.covering import Drawn, covered

if TYPE_CHECKING:
    import pikepdf

type Id = tuple[int, int]

_TAGGED: Final = re.compile(rb"/\w+\s*<<\s*/MCID\s+\d+\s*>>\s*BDC")
_ARTIFACT: Final = b"/Artifact BMC"
# What a copy has of its own.
_OWN: Final = frozenset(["/Length", "/Filter", "/DecodeParms", "/StructParents", "/Resources"])


def mark_artifacts(document: "pikepdf.Pdf") -> None:
    """Mark all that has no tag on the document's pages and in the forms that they draw."""
    forms = _Forms(document)
    for page in document.pages:
        content = b"\n".join(part.read_bytes() for part in _parts(page))
        resources: Any = page.get("/Resources", {})
        forms.mark_within(resources)
        marked = covered(content, forms.drawn_with(resources))
        if marked != content:
            page.Contents = document.make_stream(marked)


def _parts(page: "pikepdf.Page") -> list[Any]:
    import pikepdf  # noqa: PLC0415 -- as finishing/pdf.py

    contents: Any = page.get("/Contents", [])
    return [contents] if isinstance(contents, pikepdf.Stream) else list(contents)


class _Forms:
    """The forms of a document: which of them hold tags, and which have been drawn."""

    def __init__(self, document: "pikepdf.Pdf") -> None:
        self._document = document
        self._tagged: dict[Id, bool] = {}
        self._drawn: set[Id] = set()

    def mark_within(self, resources: Any) -> None:
        """Mark what has no tag in the forms named here; one in another comes before it."""
        for form in forms_within(resources, self._tagged):
            inner, content = form.get("/Resources", {}), form.read_bytes()
            self._tagged[form.objgen] = b"/MCID" in content or any(
                self._tagged[each.objgen] for _, each in _forms_of(inner)
            )
            if self._tagged[form.objgen]:
                form.write(covered(content, self.drawn_with(inner)))

    def drawn_with(self, resources: Any) -> Drawn:
        """Return how what is named here is drawn where there is no tag around it."""
        objects = resources.get("/XObject", {})

        def drawn(name: bytes) -> bytes | None:
            known = objects.get("/" + name.decode("latin-1"))
            if known is None or not self._tagged.get(known.objgen):
                return name
            if known.objgen not in self._drawn:
                self._drawn.add(known.objgen)
                return None
            return self._add_copy(objects, name)

        return drawn

    def _add_copy(self, objects: Any, name: bytes) -> bytes:
        """Name a form that looks alike and has no tags."""
        copy = name + b"Artifact"
        key = "/" + copy.decode("latin-1")
        if key not in objects:
            objects[key] = self._untagged(objects["/" + name.decode("latin-1")])
        return copy

    def _untagged(self, form: Any) -> Any:
        import pikepdf  # noqa: PLC0415 -- as finishing/pdf.py

        copies: dict[Id, Any] = {}
        for each in [*forms_within(form.get("/Resources", {})), form]:
            if self._tagged[each.objgen]:
                copy = pikepdf.Stream(self._document, _TAGGED.sub(_ARTIFACT, each.read_bytes()))
                entries = {name: value for name, value in each.items() if name not in _OWN}
                for name, value in entries.items():
                    copy[name] = value
                copy.Resources = _with(each.get("/Resources", {}), copies)
                copies[each.objgen] = self._document.make_indirect(copy)
        return copies[form.objgen]


def _with(resources: Any, copies: dict[Id, Any]) -> Any:
    """Return resources in which copies stand for what they are copies of."""
    import pikepdf  # noqa: PLC0415 -- as above

    if "/XObject" not in resources:
        return resources
    objects = pikepdf.Dictionary(
        {name: copies.get(each.objgen, each) for name, each in resources.XObject.items()}
    )
    return pikepdf.Dictionary({**dict(resources.items()), "/XObject": objects})


def _forms_of(resources: Any) -> Iterator[tuple[str, Any]]:
    for name, drawn in resources.get("/XObject", {}).items():
        if drawn.get("/Subtype") == "/Form":
            yield name, drawn


def forms_within(resources: Any, known: Iterable[Id] = ()) -> Iterator[Any]:
    """Yield each form that is not known once, after those that it draws; however deep they lie."""
    seen = set(known)
    waiting = [(form, False) for _, form in _forms_of(resources)]
    while waiting:
        form, opened = waiting.pop()
        if opened:
            yield form
        elif form.objgen not in seen:
            seen.add(form.objgen)
            waiting.append((form, True))
            waiting += [(each, False) for _, each in _forms_of(form.get("/Resources", {}))]
