"""Resources of forms, each of which has its own in an archive."""

from collections.abc import Iterator

import pikepdf


def make_resources_explicit(document: pikepdf.Pdf) -> None:
    """Give each form without resources those of the content that draws it (ISO 19005-2, 6.2.2)."""
    visited: set[tuple[int, int]] = set()
    for page in document.pages:
        resources = page.resources
        # Indirect, so that what is added later is there for all.
        if not resources.is_indirect:
            resources = page.obj.Resources = document.make_indirect(resources)
        owners = [resources]
        while owners:
            owner = owners.pop()
            for form in _forms(owner):
                if form.objgen in visited:
                    continue
                visited.add(form.objgen)
                if "/Resources" not in form:
                    form.Resources = owner
                if isinstance(form.Resources, pikepdf.Dictionary):
                    owners.append(form.Resources)


def _forms(resources: pikepdf.Object) -> Iterator[pikepdf.Object]:
    drawn = resources.get("/XObject")
    if isinstance(drawn, pikepdf.Dictionary):
        for each in drawn.values():
            if isinstance(each, pikepdf.Stream) and each.get("/Subtype") == "/Form":
                yield each
